import { readFile } from 'node:fs/promises';
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

/** The scripts that the commands run themselves; `npm ci` runs `prepare`. */
function scriptsIn(commands: string): string[] {
  return [...commands.matchAll(/\bnpm (?:run )?([\w:-]+)/g)].map(([, name = '']) =>
    name === 'ci' ? 'prepare' : name,
  );
}
