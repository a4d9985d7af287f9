import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const DEMO = fileURLToPath(new URL('../../dist/examples/demo/main.js', import.meta.url));

let demo: ChildProcess;
let output = '';
beforeAll(async () => {
  const env = { ...process.env, PORT: '0' };
  demo = spawn(process.execPath, [DEMO], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const chunk of demo.stdout ?? []) {
    output += chunk;
    if (output.includes('Press Ctrl-C')) break;
  }
});
afterAll(() => demo.kill('SIGKILL'));

test('shows held-out diamonds with their true price, prediction and interval', () => {
  const rows = output.split('\n').filter((line) => / to .* (yes|no)$/.test(line));
  expect(rows).toHaveLength(12);
});

test('finds about as many true prices inside the intervals as promised', () => {
  const [, rows, inside] = /Of ([\d,]+) held-out diamonds, (\d+) have/.exec(output) ?? [];
  expect(rows).toBe('1,000');
  // The training is seeded, so the outcome is fixed, within three standard deviations.
  expect(Number(inside)).toBeGreaterThan(865);
  expect(Number(inside)).toBeLessThan(935);
});

test('reports a misspelled column', () => {
  expect(output).toContain('"colour" was sent, which the model does not know; it has "color"');
});

test('prints addresses that answer', async () => {
  const addresses = [...output.matchAll(/curl -sSw '\\n' "?(http\S+?)"?$/gm)].map(([, address]) => address);
  expect(addresses).toHaveLength(4);
  for (const address of addresses) {
    expect((await fetch(String(address))).status, address).toBe(200);
  }
});

test('ends by itself on SIGINT', async () => {
  demo.kill('SIGINT');
  const [code] = await once(demo, 'exit');
  expect(code).toBe(0);
});

test('says in one line that another service has its port, and what to do', async () => {
  const other = createServer((_req, res) => res.end('{"status":"ready"}'));
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  try {
    const env = { ...process.env, PORT: `${port}`, npm_lifecycle_event: 'demo' };
    const refused = spawn(process.execPath, [DEMO], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [said, errors, [code]] = await Promise.all([
      text(refused.stdout),
      text(refused.stderr),
      once(refused, 'exit'),
    ]);
    expect(errors).toBe(
      `Roster did not start: it cannot listen on HOST 127.0.0.1 and PORT ${port}: address already in use; stop what listens there, or choose another PORT, such as PORT=4001 npm run demo\n`,
    );
    expect({ said, code }).toEqual({ said: '', code: 1 });
  } finally {
    other.close();
  }
});
