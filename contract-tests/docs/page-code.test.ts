/** Tests that the code in the documentation compiles with the client as it is packed. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installPackedClient, STRICT_OPTIONS } from '../../testkit/packed-client.js';
import { root } from '../../testkit/root.js';
import { markdownPages } from './markdown.js';

const TSC = fileURLToPath(new URL('node_modules/typescript/bin/tsc', root));

/** These have their own tests, which run their blocks. */
const RUN_ELSEWHERE = ['client/README.md', 'docs/models/onnx.md', 'docs/agents/openai.md', 'prediction/README.md'];

const OPTIONS = { ...STRICT_OPTIONS, skipLibCheck: true, types: ['node'] };

/** Addresses with the parameters of others. */
const MISSPELLED = `import { createRosterClient } from 'roster-client';
const roster = createRosterClient({ baseUrl: 'http://127.0.0.1:4000' });
await roster.GET('/projects/{project_name}/skills', { params: { path: { projectName: 'a' } } });
await roster.GET('/api/projects/{projectName}/models', { params: { path: { project_name: 'a' } } });
`;

let folder: string;
beforeAll(async () => {
  // In here the other packages are found, and Git does not look.
  folder = await mkdtemp(fileURLToPath(new URL('client/dist/pages-', root)));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await installPackedClient(join(folder, 'node_modules'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Compiles modules, given by their paths. Returns what the compiler prints. */
async function compile(name: string, modules: ReadonlyMap<string, string>): Promise<string> {
  const project = join(folder, name);
  for (const [path, code] of modules) {
    await mkdir(dirname(join(project, path)), { recursive: true });
    await writeFile(join(project, path), code);
  }
  const config = { compilerOptions: OPTIONS, files: [...modules.keys()] };
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify(config));
  const compiling = promisify(execFile)(process.execPath, [TSC, '--project', project]);
  return compiling.then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
}

/**
 * Returns each block as a module: the first one of `docs/recipes/files.md` is `docs/recipes/files.ts`,
 * which later blocks may import.
 */
function modulesOfPages(): Map<string, string> {
  const pages = markdownPages().filter(({ path }) => !RUN_ELSEWHERE.includes(path));
  const modules = pages.flatMap(({ path, blocks }) =>
    blocks
      .filter(({ language }) => /^(ts|js|tsx|jsx|typescript|javascript)$/.test(language))
      .map(({ code }, at): [string, string] => [
        path.replace(/\.md$/, at === 0 ? '.ts' : `-${at + 1}.ts`),
        `${code}\nexport {};\n`,
      ]),
  );
  return new Map(modules);
}

test('the code of every page compiles', async () => {
  const modules = modulesOfPages();
  expect([...modules.keys()]).toEqual(expect.arrayContaining(['docs/frontend.ts', 'docs/recipes/files.ts']));
  expect(await compile('pages', modules)).toBe('');
});

test('the compiler names the spelling of a parameter', async () => {
  const printed = await compile('misspelled', new Map([['main.ts', MISSPELLED]]));
  const proposals = [...printed.matchAll(/main\.ts\((\d),.*Did you mean to write '(\w+)'\?/g)];
  expect(proposals.map(([, line, name]) => [line, name])).toEqual([
    ['3', 'project_name'],
    ['4', 'projectName'],
  ]);
});
