/** The client in workerd, the runtime of Cloudflare's Workers, whose fetch fails in its own words. */
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../testkit/http/free-port.js';
import { serveOnLoopback } from '../../testkit/http/loopback-server.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { requireFrom } from '../../tools/on-demand/installed.js';

/** The part of Miniflare that is used. */
interface Miniflare {
  dispatchFetch(url: string): Promise<Response>;
  dispose(): Promise<void>;
}
const { Miniflare }: { readonly Miniflare: new (options: object) => Miniflare } = requireFrom('workerd')('miniflare');

let server: ServerProcess;
let worker: Miniflare;
const ends: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  server = await startServer();
  const silent = await serveOnLoopback(() => {});
  const cut = await serveOnLoopback((_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"name": "wea');
  });
  const bundle = await rolldown({ input: new URL('./worker.ts', import.meta.url).pathname, platform: 'browser' });
  const { output } = await bundle.generate({ format: 'esm' });
  const [{ code }] = output;
  worker = new Miniflare({
    modules: true,
    script: code,
    compatibilityDate: '2025-11-01',
    bindings: {
      SERVICE: server.url,
      GONE: `http://127.0.0.1:${await freePort()}`,
      SILENT: silent.origin,
      CUT: cut.origin,
    },
  });
  ends.push(
    () => worker.dispose(),
    silent.close,
    cut.close,
    () => server.stop(),
  );
});
afterAll(async () => {
  for (const end of ends) await end();
});

const run = async (name: string): Promise<unknown> => (await worker.dispatchFetch(`http://worker/${name}`)).json();

test('resources are created, read, changed and deleted, with their ETags', async () => {
  expect(await run('resources')).toEqual({ status: 304, type: 'climate', isLate: true, listed: ['weather'] });
});

test('a read is repeated after a fault of the network', async () => {
  expect(await run('fault')).toEqual({ sent: 3, isError: true });
});

test('a time limit, an abort and a cut answer have their names', async () => {
  expect(await run('timeLimit')).toBe('TimeoutError');
  expect(await run('abort')).toBe('AbortError');
  expect(await run('cut')).toBe('UnexpectedAnswerError');
});
