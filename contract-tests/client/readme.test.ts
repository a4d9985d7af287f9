/** Tests that the tutorial in the client's README compiles, and runs from top to bottom. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRosterClient } from 'roster-client';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { someDiamonds } from '../../testkit/data/diamonds.js';
import type { Child } from '../../testkit/service/child-process.js';
import { startServer } from '../../testkit/service/server-process.js';
import { startMock } from '../targets/mock.js';

const CLIENT = fileURLToPath(new URL('../../client/', import.meta.url));

let server: Child & { url: string };
let mock: Child & { url: string };
let folder: string;
let file: string;

beforeAll(async () => {
  [server, mock] = await Promise.all([startServer(), startMock()]);
  const readme = await readFile(join(CLIENT, 'README.md'), 'utf8');
  const snippets = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code);
  const given = { csv: someDiamonds(100), key: '' };
  const code = [`const { csv, key } = ${JSON.stringify(given)};`, ...snippets, 'export {};']
    .join('\n')
    .replace('http://127.0.0.1:4000', server.url)
    .replace('http://127.0.0.1:4010', mock.url);
  // In this folder the package is found by its name, and Git ignores it.
  folder = await mkdtemp(join(CLIENT, 'dist/readme-'));
  file = join(folder, 'snippets.ts');
  await writeFile(file, code);
});
afterAll(async () => {
  await Promise.all([server.stop(), mock.stop(), rm(folder, { recursive: true })]);
});

test('the README compiles', () => {
  const { options } = ts.convertCompilerOptionsFromJson(
    {
      target: 'es2023',
      lib: ['es2023', 'dom'],
      module: 'nodenext',
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: [],
    },
    CLIENT,
  );
  const program = ts.createProgram([file], options);
  const diagnostics = ts.getPreEmitDiagnostics(program);
  expect(diagnostics.map(({ messageText }) => messageText)).toEqual([]);
});

test('the README runs, and has the effects that it describes', async () => {
  await import(file);
  const roster = createRosterClient({ baseUrl: server.url });
  const { data } = await roster.GET('/api/projects/{projectName}/models/{modelName}', {
    params: { path: { projectName: 'default', modelName: 'diamond_prices' } },
  });
  expect(data?.status).toBe('ready');
});
