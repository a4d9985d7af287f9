import { execFile } from 'node:child_process';
import { chmod, chown, copyFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type pg from 'pg';
import { expect } from 'vitest';

/**
 * Makes a certificate of 127.0.0.1 that signs itself, and lets PostgreSQL use it for new connections.
 * @param admin a connection of its superuser
 * @param folder in which `NAME.crt` and `NAME.key` are made
 */
export async function useCertificate(admin: pg.Client, folder: string, name: string): Promise<void> {
  const { rows } = await admin.query('show data_directory');
  const data: string = rows[0].data_directory;
  const [key, certificate] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)];
  await promisify(execFile)('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-keyout', key, '-out', certificate, '-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1'],
  ]);
  const { uid, gid } = await stat(data);
  for (const [from, to] of [
    [key, 'server.key'],
    [certificate, 'server.crt'],
  ] as const) {
    const path = join(data, to);
    await copyFile(from, path);
    await chown(path, uid, gid);
    await chmod(path, 0o600);
  }
  await admin.query('alter system set ssl = on');
  await admin.query('select pg_reload_conf()');
  await expect.poll(async () => (await admin.query('show ssl')).rows).toEqual([{ ssl: 'on' }]);
}
