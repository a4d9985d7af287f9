import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './http/free-port.js';
import { findProgram } from './programs.js';
import { root } from './root.js';
import { startChild } from './service/child-process.js';

/** The reason why tests of the proxy are left out, and the remedy. */
export const NO_NGINX = 'there is no nginx on this machine; `npm run nginx` installs one';

/**
 * Returns the path of nginx: the one in `NGINX_BIN`, or one in its usual places, which users other
 * than root may not have in `PATH`.
 * @throws if `NGINX_BIN` is not executable
 */
export function nginxOfThisMachine(): string | undefined {
  const elsewhere = ['/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin'];
  return findProgram(
    'NGINX_BIN',
    ['nginx'],
    elsewhere.map((folder) => join(folder, 'nginx')),
  );
}

/** nginx, running with the file of `examples/nginx/`. */
export interface Nginx {
  readonly url: string;
  stop(): Promise<unknown>;
}

/**
 * Starts nginx in front of three instances, and waits until it listens.
 * @param ports of the instances on the loopback address
 * @param keepAlive the time for which it keeps idle connections to them, such as `500ms`
 * @param silence the longest silence of an instance before an ordinary answer
 */
export async function startNginx(
  program: string,
  ports: readonly number[],
  keepAlive: string,
  silence = '16s',
): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-nginx-'));
  const port = await freePort();
  const example = await readFile(new URL('examples/nginx/roster.conf', root), 'utf8');
  const site = example
    .replaceAll(/roster-(\d):4000/g, (_, number) => `127.0.0.1:${ports[Number(number) - 1]}`)
    .replace('listen 8080', `listen 127.0.0.1:${port}`)
    .replace('keepalive_timeout 4s', `keepalive_timeout ${keepAlive}`)
    .replace('proxy_read_timeout 16s', `proxy_read_timeout ${silence}`);
  await writeFile(join(folder, 'nginx.conf'), around(site));
  const { stop } = await startChild(program, ['-p', folder, '-c', 'nginx.conf'], process.env, (line) =>
    /start worker process \d/.test(line) ? line : undefined,
  );
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      await stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** The frame of `/etc/nginx/nginx.conf` around the file, with all other files in the folder of the test. */
function around(site: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    daemon off;
    worker_processes 2;
    pid nginx.pid;
    error_log stderr notice;
    events {}
    http {
      access_log off;
      ${temporary.map((name) => `${name}_temp_path ${name};`).join(' ')}
      ${site}
    }`;
}
