import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { root } from '../testkit/root.js';

const scripts = new Map(Object.entries(packageJson.scripts));

test('CI runs every script of package.json', async () => {
  const ci = await readFile(new URL('.ci/run', root), 'utf8');
  const run = new Set<string>();
  const follow = (commands: string) => {
    for (const name of scriptsIn(commands)) {
      if (run.has(name)) continue;
      run.add(name);
      follow(scripts.get(name) ?? '');
      // npm runs it before the script that it is named after.
      if (scripts.has(`pre${name}`)) follow(`npm run pre${name}`);
    }
  };
  follow(ci.replaceAll(/^\s*#.*$/gm, ''));
  expect([...scripts.keys()].filter((name) => !run.has(name))).toEqual([]);
});

test('docs/contributing/commands.md lists every script that no other script runs', async () => {
  const page = await readFile(new URL('docs/contributing/commands.md', root), 'utf8');
  const listed = new Set(scriptsIn(page));
  const run = new Set([...scripts.values()].flatMap(scriptsIn));
  const runByNpm = (name: string) => name === 'prepare' || scripts.has(name.replace(/^pre/, ''));
  const missing = [...scripts.keys()].filter(
    (name) => !listed.has(name) && !run.has(name) && !(name.startsWith('pre') && runByNpm(name)),
  );
  expect(missing).toEqual([]);
});

test('every program of a script reads its arguments, and refuses others in one line', async () => {
  // They refuse arguments by themselves, or pass them to another program; a build has none.
  const others = ['server/main', 'server/commands/roster', 'tools/on-demand/main', 'tools/pages/main'];
  const programs = [...scripts.values()].flatMap((commands) =>
    [...commands.matchAll(/\bdist\/([\w/-]+)\.js/g)].map(([, program = '']) => program),
  );
  for (const program of new Set(programs)) {
    if (others.includes(program)) continue;
    const source = await readFile(new URL(`${program}.ts`, root), 'utf8');
    expect(source, program).toMatch(/\b(scriptCommand|runScenarios)\(/);
  }
  const { status, stderr } = spawnSync(process.execPath, ['dist/contract-tests/tour/main.js', 'x'], {
    cwd: fileURLToPath(root),
    encoding: 'utf8',
  });
  expect(stderr).toBe('error: npm run tour takes no "x"; it takes nothing; add --help to see what it does\n');
  expect(status).toBe(2);
});

/** The scripts that the commands run themselves; `npm ci` runs `prepare`. */
function scriptsIn(commands: string): string[] {
  return [...commands.matchAll(/\bnpm (?:run )?([\w:-]+)/g)].map(([, name = '']) => (name === 'ci' ? 'prepare' : name));
}
