/** Tests of the command, with patterns planted in a folder. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { root } from '../../testkit/root.js';

const COMMAND = fileURLToPath(new URL('dist/tools/patterns/main.js', root));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roster-patterns-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Runs the command on a folder with these files. */
async function run(files: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return new Promise<{ code: unknown; output: string }>((resolve) => {
    execFile(process.execPath, [COMMAND, folder], (error, output, errors) =>
      resolve({ code: error ? error.code : 0, output: output + errors }),
    );
  });
}

test('a pattern that takes the square of the length fails, with its file and line', async () => {
  const { code, output } = await run({
    'deep/slow.ts': 'const a = 1;\nexport const TOKEN = /eyJ[\\w-]{8,}\\./g;\n',
    'fast.ts': 'export const NAME = /^[a-z]+$/;\n',
  });
  expect(output).toContain(`${folder}/deep/slow.ts:2:22: error: /eyJ[\\w-]{8,}\\./g is not known`);
  expect(output).toMatch(/2nd degree polynomial.*\[patterns\/polynomial\]/);
  expect(output).not.toContain('fast.ts');
  expect(code).toBe(1);
});

test('one whose texts are short is listed, with the reason', async () => {
  const { code, output } = await run({
    'slow.ts': '// bounded: at most 20 characters (MAX)\nexport const END = /0*$/;\n',
  });
  expect(output).toContain('slow.ts:2:20: notice: /0*$/ is bounded: at most 20 characters (MAX)');
  expect(code).toBe(0);
});

test('no length is short enough for one that doubles its time with each character', async () => {
  const { code, output } = await run({
    'slow.ts': '// bounded: at most 40 characters\nexport const WORDS = /^(a+)+$/;\n',
  });
  expect(output).toMatch(/slow\.ts:2:22: error: .*exponential/);
  expect(code).toBe(1);
});

test('a pattern of parts that are not constants needs a reason, and a linear one has none', async () => {
  const { code, output } = await run({
    'parts.ts': `export const make = (part: string) => new RegExp('^' + part);\n`,
    'linear.ts': '// bounded: at most 40 characters\nexport const NAME = /^[a-z]+$/;\n',
    'tests/a.test.ts': 'export const END = /0*$/;\n',
  });
  expect(output).toMatch(/parts\.ts:1:39: error: .* parts that are not constants/);
  expect(output).toMatch(/linear\.ts:2:21: error: .*\n {4}Remove the comment\./);
  expect(output).toContain('2 errors');
  expect(code).toBe(1);
});
