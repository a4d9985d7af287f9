import { once } from 'node:events';
import { createServer, type RequestListener, type ServerOptions } from 'node:http';
import { readConfig } from '../../../server/config.js';
import { Store } from '../../../server/store/index.js';

/** Opens the store that the environment names, as the service does. */
export function openStore(): Promise<Store> {
  const { databaseUrl, maxResources } = readConfig(process.env);
  return Store.open(databaseUrl, { limits: { resources: maxResources } });
}

/** Listens where the environment says, and says so as the service does. */
export async function serve(listener: RequestListener, options: ServerOptions = {}): Promise<void> {
  const { host, port } = readConfig(process.env);
  const server = createServer(options, listener).listen(port, host);
  await once(server, 'listening');
  sayThatItListens(server.address());
}

/** @param address what the server says of itself */
export function sayThatItListens(address: unknown): void {
  if (typeof address !== 'object' || address === null || !('port' in address)) return;
  const url = `http://127.0.0.1:${address.port}`;
  process.stdout.write(`${JSON.stringify({ url, msg: 'listening' })}\n`);
}
