/** Runs the examples of the README and of examples/ unchanged, on the packed package. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PACKAGE = join(ROOT, 'prediction');
const EXAMPLE = 'examples/node/train.js';
const TABLE = 'datasets/diamonds.csv';

let folder: string;
let snippets: string[];
beforeAll(async () => {
  // Inside the package folder its name resolves, and Git ignores the files.
  folder = await mkdtemp(join(PACKAGE, 'dist/readme-'));
  await mkdir(join(folder, 'examples/node'), { recursive: true });
  await copyFile(join(ROOT, EXAMPLE), join(folder, EXAMPLE));
  // Each program trains in a separate process, and shows the same on a twentieth of the table.
  const diamonds = await readFile(join(ROOT, TABLE), 'utf8');
  await mkdir(join(folder, 'datasets'));
  await writeFile(join(folder, TABLE), diamonds.split('\n').slice(0, 501).join('\n'));
  const readme = await readFile(join(PACKAGE, 'README.md'), 'utf8');
  snippets = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, code = '']) => code);
});
afterAll(() => rm(folder, { recursive: true }));

async function outputOf(snippet: string | undefined): Promise<string> {
  const cwd = join(folder, 'datasets');
  await writeFile(join(cwd, 'snippet.mjs'), snippet ?? '');
  return (await run(process.execPath, ['snippet.mjs'], { cwd })).stdout;
}

test('the README trains from a file, and predicts with an interval', async () => {
  const [, value, min, max] =
    /^([\d.]+) dollars, between ([\d.]+) and ([\d.]+)$/m.exec(await outputOf(snippets[0])) ?? [];
  expect(Number(min)).toBeLessThan(Number(value));
  expect(Number(max)).toBeGreaterThan(Number(value));
});

test('the README predicts a class, with its probability and a set', async () => {
  expect(await outputOf(snippets[1])).toMatch(/^\w[\w ]*, with probability 0\.\d+; at 0\.9 one of \w/);
});

test('the README keeps a model, and predicts from what was kept', async () => {
  expect(await outputOf(snippets[2])).toMatch(/value: 10\d\d/);
});

test('the example trains and predicts', async () => {
  const { stdout } = await run(process.execPath, [join(folder, EXAMPLE)]);
  expect(stdout).toMatch(/^[\d.]+ to [\d.]+ dollars, at a confidence of 0\.9$/m);
});
