/**
 * Tests that the code in the client's README compiles, with the package as it is packed, and runs from
 * top to bottom.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createRosterClient } from 'roster-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { someDiamonds } from '../../testkit/data/diamonds.js';
import { installPackedClient, STRICT_OPTIONS } from '../../testkit/packed-client.js';
import type { Child } from '../../testkit/service/child-process.js';
import { startServer } from '../../testkit/service/server-process.js';
import { startMock } from '../targets/start-mock.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Those that users have: one written in JavaScript, which the generator runs on, and the native one. */
const COMPILERS = {
  '5.9': 'tools/on-demand/openapi-typescript/node_modules/typescript',
  '7.0': 'node_modules/typescript',
};

let server: Child & { url: string };
let mock: Child & { url: string };
let folder: string;
let file: string;

beforeAll(async () => {
  [server, mock] = await Promise.all([startServer(), startMock()]);
  const readme = await readFile(join(ROOT, 'client/README.md'), 'utf8');
  const snippets = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code);
  const given = { csv: someDiamonds(100), key: '' };
  const code = [`const { csv, key } = ${JSON.stringify(given)};`, ...snippets, 'export {};']
    .join('\n')
    .replaceAll('http://127.0.0.1:4000', server.url)
    .replace('http://127.0.0.1:4010', mock.url);
  // In here openapi-fetch is found, and Git does not look.
  folder = await mkdtemp(join(ROOT, 'client/dist/readme-'));
  file = join(folder, 'snippets.ts');
  await Promise.all([
    writeFile(join(folder, 'package.json'), '{ "type": "module" }'),
    writeFile(file, code),
    writeFile(join(folder, 'mistakes.ts'), MISTAKES),
    ...Object.entries(PROJECTS).map(([name, project]) =>
      writeFile(join(folder, `${name}.json`), JSON.stringify(project)),
    ),
    installPackedClient(join(folder, 'node_modules')),
  ]);
  await symlink(join(ROOT, 'tools/on-demand/peers/node_modules/msw'), join(folder, 'node_modules/msw'), 'junction');
});
afterAll(async () => {
  await Promise.all([server.stop(), mock.stop(), rm(folder, { recursive: true })]);
});

const OPTIONS = { ...STRICT_OPTIONS, types: [] };

/** Projects of a user. Apart, because the README imports msw, and the check of its declarations takes longest. */
const PROJECTS = {
  readme: { compilerOptions: { ...OPTIONS, skipLibCheck: true }, files: ['snippets.ts'] },
  declarations: {
    compilerOptions: { ...OPTIONS, skipLibCheck: false, skipDefaultLibCheck: true },
    files: ['mistakes.ts', join(ROOT, 'generated/openapi.ts')],
  },
};

/** Types that had become \`any\` would take these. */
const MISTAKES = `import { createRoster, createRosterClient, items, predictFile, trainFile } from 'roster-client';
import { examples } from 'roster-client/examples';
import { rosterQueries } from 'roster-client/tanstack-query';
const roster = createRosterClient({ baseUrl: 'http://127.0.0.1:4000' });
// @ts-expect-error: there is no such address.
await roster.GET('/projekts');
const { data } = await roster.GET('/projects');
// @ts-expect-error: a project has no colour.
data?.[0]?.colour;
// @ts-expect-error: there is no such operation.
examples({ createSkil: 409 });
const methods = createRoster({ baseUrl: 'http://127.0.0.1:4000' });
const skill = await methods.skills.get('sales_questions');
const name: string = skill.name;
// @ts-expect-error: a name is text.
const wrong: number = skill.name;
// @ts-expect-error: there is no such method.
methods.skills.gett(name);
for await (const each of methods.skills.list()) each.id.toUpperCase();
const queries = rosterQueries(methods);
// @ts-expect-error: there is no such resource.
queries.skillz;
// @ts-expect-error: a file is needed.
trainFile(roster, wrong);
// @ts-expect-error: a file is needed.
predictFile(roster, wrong);
// @ts-expect-error: a function reads each page.
items(wrong);
`;

describe.each(Object.entries(COMPILERS))('with TypeScript %s', (version, compiler) => {
  test.each(Object.keys(PROJECTS))('it compiles: %s', async (project) => {
    const tsc = join(ROOT, compiler, 'bin/tsc');
    expect((await run(process.execPath, [tsc, '--version'])).stdout).toContain(version);
    const compiled = run(process.execPath, [tsc, '--project', join(folder, `${project}.json`)]);
    await expect(compiled).resolves.toMatchObject({ stdout: '' });
  });
});

test('the README runs, and has the effects that it describes', async () => {
  await import(file);
  const roster = createRosterClient({ baseUrl: server.url });
  const { data } = await roster.GET('/api/projects/{projectName}/models/{modelName}', {
    params: { path: { projectName: 'default', modelName: 'diamond_prices' } },
  });
  expect(data?.status).toBe('ready');
});
