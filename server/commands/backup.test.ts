import { execFileSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runRoster } from '../../testkit/service/roster-command.js';
import { DatabaseSync } from '../store/database/sqlite-connection.js';
import { Store } from '../store/index.js';
import { backUpSqlite } from './backup.js';

let folder: string;
let file: string;
let copy: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roster-backup-'));
  file = join(folder, 'roster.db');
  mkdirSync(join(folder, 'backups'));
  copy = join(folder, 'backups', 'copy.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

const backUp = (to = copy, url = `file:${file}`) => runRoster(['backup', to], { DATABASE_URL: url });

const restore = (from = copy, url = `file:${file}`) => runRoster(['restore', from], { DATABASE_URL: url });

const makeStore = async () => (await Store.open(`file:${file}`)).close();

describe('no backup is restored', () => {
  /** Tries it, expects the message, and expects the store as it was and no other files. */
  async function expectRefusal(words: string, url?: string): Promise<void> {
    const files = readdirSync(folder);
    const { code, stdout, stderr } = await restore(copy, url);
    expect(stderr).toContain(words);
    expect(stderr).not.toContain('secret');
    expect([code, stdout]).toEqual([1, '']);
    expect(readdirSync(folder)).toEqual(files);
  }

  test('of half a file, of another program’s, of a later release, or of nothing', async () => {
    await makeStore();
    await expectRefusal('there is no backup at');

    expect(await backUp()).toMatchObject({ code: 0 });
    const whole = readFileSync(copy);
    writeFileSync(copy, whole.subarray(0, whole.length / 2));
    await expectRefusal('was not restored');
    writeFileSync(copy, 'not a database at all, but long enough to have been one'.repeat(100));
    await expectRefusal('not a database');

    writeFileSync(copy, whole);
    const later = new DatabaseSync(copy);
    later.exec("insert into kysely_migration values ('9999-later', '2099-01-01')");
    later.close();
    await expectRefusal('written by a later release of Roster');
    copy = file;
    await expectRefusal('is the store itself');
  });

  test('into PostgreSQL, which has better tools, and no password is shown', async () => {
    writeFileSync(copy, '');
    await expectRefusal('pg_restore', 'postgres://roster:secret@127.0.0.1/roster');
  });
});

describe('a backup', () => {
  test('is readable by its owner alone, and leaves no other files', async () => {
    await makeStore();
    expect(await backUp()).toMatchObject({ code: 0 });
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, 'backups'))).toEqual(['copy.db']);
    expect(readdirSync(folder)).toEqual(['backups', 'roster.db']);
  });

  test('in a folder is named by its time, and older ones are deleted beyond those to keep', async () => {
    await makeStore();
    const backups = join(folder, 'backups');
    writeFileSync(join(backups, 'roster-of-mine.db'), 'precious');
    const keepTwo = () => runRoster(['backup', backups, '--keep', '2'], { DATABASE_URL: `file:${file}` });
    const made = [];
    for (const _ of [1, 2, 3]) {
      const { code, stdout } = await keepTwo();
      expect(code).toBe(0);
      made.push(/roster-\d{8}T\d{9}Z\.db/.exec(stdout)?.[0]);
    }
    expect(readdirSync(backups)).toEqual([...made.slice(1), 'roster-of-mine.db']);
    const refused = await runRoster(['backup', copy, '--keep', '2'], { DATABASE_URL: `file:${file}` });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--keep needs a folder') });
  });

  test('restored by root leaves the store to its user', async ({ skip }) => {
    skip(process.getuid?.() !== 0, 'only root can give a file to another user');
    await makeStore();
    expect((await backUp()).code).toBe(0);
    chownSync(file, 65_534, 65_534);
    expect((await restore()).code).toBe(0);
    expect([statSync(file).uid, statSync(file).gid]).toEqual([65_534, 65_534]);
  });

  test('may have a quote in its name', async () => {
    await makeStore();
    const odd = join(folder, "o'clock; --.db");
    expect(backUpSqlite(file, odd)).toBe(statSync(file).size);
    expect(statSync(odd).size).toBe(statSync(file).size);
  });
});

describe('no backup is made', () => {
  /** Tries a backup, expects the message, and expects only the given files in the folder of the copies. */
  function expectRefusal(words: string, left: string[] = []): void {
    expect(() => backUpSqlite(file, copy)).toThrow(words);
    expect(readdirSync(join(folder, 'backups'))).toEqual(left);
  }

  /** As `expectRefusal`, by the command. */
  async function expectCommandRefuses(words: string, url?: string): Promise<void> {
    const { code, stdout, stderr } = await backUp(copy, url);
    expect(stderr).toContain(words);
    expect(stderr).not.toContain('secret');
    expect([code, stdout]).toEqual([1, '']);
    expect(readdirSync(join(folder, 'backups'))).toEqual([]);
  }

  test('over a file that exists', async () => {
    await makeStore();
    writeFileSync(copy, 'precious');
    expectRefusal('already exists', ['copy.db']);
    expect(readFileSync(copy, 'utf8')).toBe('precious');
  });

  test('over a file that appeared while the copy was made', async () => {
    await makeStore();
    const store = new DatabaseSync(file);
    store.exec('create table ballast as select randomblob(50000000) as bytes');
    store.close();
    const backups = join(folder, 'backups');
    // Where this looks away while the copy is made, another one is made.
    let stderr = '';
    while (stderr === '') {
      rmSync(copy, { force: true });
      let isOver = false;
      const outcome = backUp().finally(() => {
        isOver = true;
      });
      const isBegun = () => readdirSync(backups).some((name) => name.endsWith('.partial'));
      while (!isOver && !isBegun()) await delay(1);
      if (!existsSync(copy)) writeFileSync(copy, 'precious');
      ({ stderr } = await outcome);
    }
    expect(stderr).toContain('exists');
    expect(readdirSync(backups)).toEqual(['copy.db']);
    expect(readFileSync(copy, 'utf8')).toBe('precious');
  });

  test('next to a file that SQLite would read as part of it', async () => {
    await makeStore();
    writeFileSync(`${copy}-wal`, 'of another database');
    expectRefusal('copy.db-wal already exists', ['copy.db-wal']);
  });

  test('in a folder that does not exist', async () => {
    await makeStore();
    expect(() => backUpSqlite(file, join(folder, 'nowhere', 'copy.db'))).toThrow('there is no folder');
  });

  test('of a store that does not exist, nor is one created', async () => {
    await expectCommandRefuses('there is no store at');
    expect(readdirSync(folder)).toEqual(['backups']);
  });

  test('of a file that is not a database', () => {
    writeFileSync(file, 'not a database at all, but long enough to have been one'.repeat(100));
    expectRefusal('not a database');
  });

  test('of a database that is another program’s', () => {
    const database = new DatabaseSync(file);
    database.exec('create table projects (id)');
    database.close();
    expectRefusal('not a Roster store');
  });

  test('of a store that is damaged', async () => {
    await makeStore();
    const bytes = readFileSync(file);
    bytes.fill(0xff, bytes.length / 4);
    writeFileSync(file, bytes);
    expectRefusal('malformed');
  });

  test('of a store in memory', () => expectCommandRefuses('no other process sees', ':memory:'));

  test('of PostgreSQL, which has better tools, and no password is shown', async () => {
    const url = 'postgres://roster:secret@127.0.0.1/roster';
    await expectCommandRefuses('pg_dump', url);
  });
});

/** Mounts a disk of 64 KiB, smaller than an empty store, if the system allows it. */
function mountSmallDisk(): string | undefined {
  const disk = mkdtempSync(join(tmpdir(), 'roster-small-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', disk], { stdio: 'ignore' });
    return disk;
  } catch {
    rmSync(disk, { recursive: true });
    return undefined;
  }
}

describe('on a disk that is too small', () => {
  let disk: string | undefined;
  beforeAll(() => {
    disk = mountSmallDisk();
  });
  afterAll(() => {
    if (disk === undefined) return;
    execFileSync('umount', [disk]);
    rmSync(disk, { recursive: true });
  });

  test('no backup is made, and the disk is left as it was', async ({ skip }) => {
    if (disk === undefined) return skip('only root on Linux may mount a small disk');
    await makeStore();
    const copy = join(disk, 'copy.db');
    expect(() => backUpSqlite(file, copy)).toThrow('disk is full');
    expect(readdirSync(disk)).toEqual([]);
  });
});
