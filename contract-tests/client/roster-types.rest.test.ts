/** Tests of `npx roster-client types`, with the real service and the compiler. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRoster, type Roster, untilReady } from 'roster-client';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { fewDiamonds } from '../../testkit/data/diamonds.js';
import { STRICT_OPTIONS } from '../../testkit/packed-client.js';
import { root } from '../../testkit/root.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { makeKey } from '../../testkit/store/keys.js';

const COMMAND = fileURLToPath(new URL('client/dist/bin/roster-client.js', root));
const TSC = fileURLToPath(new URL('node_modules/typescript/bin/tsc', root));

/** Names that end strings, comments and lines, or that nobody sees. */
const HOSTILE = ['a*/ "b"\n`', "it's \\", 'l`\u2028\u202e', '__proto__'] as const;

let folder: string;
let key: string;
let server: ServerProcess;
let roster: Roster;
beforeAll(async () => {
  // In here roster-client is found, and Git does not look.
  folder = await mkdtemp(fileURLToPath(new URL('client/dist/types-', root)));
  const databaseFile = join(folder, 'roster.db');
  key = await makeKey(`file:${databaseFile}`, { name: 'own' });
  server = await startServer({ databaseFile });
  roster = createRoster({ baseUrl: server.url, apiKey: key });
  const [column, target, category] = HOSTILE;
  const rows = Array.from({ length: 120 }, (_, at) => ({
    [column]: at % 3 ? category : '*/',
    size: at,
    [target]: at % 3 ? 'yes' : 'no\n*/',
  }));
  await roster.models.train('prices', fewDiamonds, { target: 'price' });
  await roster.models.train('hostile', rows, { target });
  for (const modelName of ['prices', 'hostile']) {
    await untilReady(roster.client, { projectName: 'default', modelName }, { every: 50 });
  }
  // The newest version does not serve for a while.
  await roster.models.train('prices', fewDiamonds, { target: 'price' });
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

interface Outcome {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

function run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  const options = { env: { ...process.env, ...env } };
  return new Promise((resolve) => {
    execFile(process.execPath, [...args], options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

/** Code that the compiler must take, and lines that it must not. */
const USE = `import { createRoster } from 'roster-client';
import type { Models } from './models.js';
const roster = createRoster<Models>({ baseUrl: 'http://127.0.0.1:4000' });
const [row] = await roster.models.predict('prices', [{ carat: 0.7, cut: 'Ideal' }]);
export const value: number | undefined = row?.price;
export const bounds: (number | undefined)[] = [row?.price_min, row?.price_max, row?.price_confidence];
export const carat: number | null | undefined = row?.carat;
const hostile = await roster.models.predict('hostile', [{ size: 7, ${JSON.stringify(HOSTILE[0])}: '*/' }]);
export const answer: 'yes' | 'no\\n*/' | undefined = hostile[0]?.["it's \\\\"];
// @ts-expect-error: there is no such model.
await roster.models.predict('price', [{ carat: 0.7 }]);
// @ts-expect-error: there is no such column.
await roster.models.predict('prices', [{ weight: 0.7 }]);
// @ts-expect-error: there is no such category.
await roster.models.predict('prices', [{ cut: 'Superb' }]);
// @ts-expect-error: a number is no text.
await roster.models.predict('prices', [{ carat: 'big' }]);
`;

test('the written types compile, and know models, columns, categories and classes', async () => {
  const file = join(folder, 'models.ts');
  const written = await run([COMMAND, 'types', server.url, '--output', file], { ROSTER_KEY: key });
  expect(written).toEqual({ code: 0, stdout: '', stderr: '' });
  const types = await readFile(file, 'utf8');
  expect(types).toContain('cut?: "Ideal" | ');
  expect(types).not.toMatch(/[\u2028\u202e]/);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'use.ts'), USE);
  const project = { compilerOptions: { ...STRICT_OPTIONS, types: [] }, files: ['use.ts'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(project));
  expect(await run([TSC, '--project', folder])).toEqual({ code: 0, stdout: '', stderr: '' });
});

test('a typed answer is what the service answers', async () => {
  interface Models {
    prices: { input: { carat?: number }; target: 'price'; value: number };
  }
  const typed = createRoster<Models>({ baseUrl: server.url, apiKey: key });
  const [row] = await typed.models.predict('prices', [{ carat: 0.7 }], { confidence: 0.9 });
  expect(row?.price).toBeGreaterThanOrEqual(row?.price_min ?? Number.NaN);
  expect(row?.price).toBeLessThanOrEqual(row?.price_max ?? Number.NaN);
  expect(row).toMatchObject({ carat: 0.7, price_confidence: expect.any(Number) });
  const [lean] = await typed.models.predict('prices', [{ carat: 0.7 }], { rows: 'lean', explain: true });
  expect(lean?.price_explain.predicted_value).toBe(lean?.price);
  expect(lean).not.toHaveProperty('__service_row_id');
});

test('the key may be in a file, and is asked for', async () => {
  const file = join(folder, 'key');
  await writeFile(file, `${key}\n`);
  const { stdout } = await run([COMMAND, 'types', server.url, '--key-file', file]);
  expect(stdout).toContain('export interface Models {');
  const without = await run([COMMAND, 'types', server.url]);
  expect(without).toMatchObject({ code: 1, stderr: expect.stringMatching(/asks for a key; set ROSTER_KEY/) });
  const wrong = await run([COMMAND, 'types', server.url], { ROSTER_KEY: `${key}x` });
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('refuses this key') });
});

test('what cannot be read is reported, with what to do', async () => {
  const page = createServer((_, response) => response.end('<html>'));
  onTestFinished(() => void page.close());
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
  const address = page.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  expect((await run([COMMAND, 'types', url])).stderr).toContain(`${url} is not a Roster service`);
  page.close();
  const env = { ROSTER_KEY: key };
  const project = await run([COMMAND, 'types', server.url, '--project', 'shop'], env);
  expect(project.stderr).toMatch(/no project .*"shop".* Choose another one with --project/);
  expect((await run([COMMAND, 'types', 'roster'])).stderr).toContain('is not an address');
  expect((await run([COMMAND])).stderr).toContain('Usage: roster-client types URL');
  const folderOfOutput = join(tmpdir(), 'none', 'models.ts');
  const unwritable = await run([COMMAND, 'types', server.url, '--output', folderOfOutput], env);
  expect(unwritable).toMatchObject({ code: 1, stderr: expect.stringContaining('ENOENT') });
});
