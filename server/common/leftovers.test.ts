import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownName, removeLeftovers } from './leftovers.js';

/** The number of no process: Linux and macOS have fewer. */
const NOBODY = 999_999_999;

test('only what processes have left that run no longer is removed, and no link is followed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'roster-leftovers-'));
  try {
    const target = join(folder, 'target');
    const named = (pid: number, rest = '-abc') => join(folder, `x-${hostname()}.${pid}${rest}`);
    for (const path of [target, named(NOBODY), `${join(folder, ownName('x-'))}-own`]) {
      mkdirSync(path);
      writeFileSync(join(path, 'spilled'), '');
    }
    symlinkSync(target, named(NOBODY, '-link'));
    const kept = [
      ...['target', `x-other-${hostname()}.${NOBODY}-abc`, `y-${hostname()}.${NOBODY}-abc`, `x-${hostname()}.-abc`],
      ...[`x-${hostname()}.${process.ppid}-abc`, `x-${hostname()}.${NOBODY}-abc.more`],
    ];
    for (const name of kept) if (name !== 'target') writeFileSync(join(folder, name), '');
    await removeLeftovers(folder, 'x-', /^-[a-z]+$/);
    expect(readdirSync(folder).sort()).toEqual(kept.toSorted());
    expect(existsSync(join(target, 'spilled'))).toBe(true);
    await removeLeftovers(join(folder, 'nowhere'), 'x-', /^-[a-z]+$/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
