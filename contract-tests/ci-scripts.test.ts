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

/** The scripts that the commands run themselves; `npm ci` runs `prepare`. */
function scriptsIn(commands: string): string[] {
  return [...commands.matchAll(/\bnpm (?:run )?([\w:]+)/g)].map(([, name = '']) =>
    name === 'ci' ? 'prepare' : name,
  );
}
