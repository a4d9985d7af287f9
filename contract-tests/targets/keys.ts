import { runRoster } from './roster-command.js';

/** The keys of those who call in the tests. */
export interface Keys {
  /** May do everything; whose projects the tests are about. */
  own: string;
  /** Of the same owner, each with one scope. */
  read: string;
  write: string;
  predict: string;
  /** May do everything to the projects of another owner. */
  stranger: string;
  /** Of the same owner, but no longer good. */
  revoked: string;
  /** May do everything to the projects of an owner who has nothing but the contract's examples. */
  exemplary: string;
}

/** A `RATE_LIMIT` that no test reaches; the answers tell of it all the same. */
export const ENOUGH = '1000000';

/** To the mock, every key is as good. */
export const MOCK_KEYS: Keys = {
  own: 'roster_mock_key',
  read: 'roster_mock_key',
  write: 'roster_mock_key',
  predict: 'roster_mock_key',
  stranger: 'roster_mock_key',
  revoked: 'roster_mock_key',
  exemplary: 'roster_mock_key',
};

/**
 * Makes the keys as those who run the service do, by its command.
 * @param owner whose keys they are, but for the stranger's; without it, the local owner's
 */
export async function makeKeys(databaseUrl: string, owner?: string): Promise<Keys> {
  const ofOwner = owner === undefined ? [] : ['--owner', owner];
  const create = (name: string, ...options: string[]) =>
    makeKey(databaseUrl, ['--name', name, ...ofOwner, ...options]);
  const createRevoked = async () => {
    const key = await create('revoked');
    await said(databaseUrl, ['keys', 'revoke', `${key.split('_')[1]}`]);
    return key;
  };
  // The first one makes the store.
  const own = await create('own');
  const [revoked, read, write, predict, stranger, exemplary] = await Promise.all([
    createRevoked(),
    create('read', '--scope', 'read'),
    create('write', '--scope', 'write'),
    create('predict', '--scope', 'predict'),
    makeKey(databaseUrl, ['--name', 'stranger', '--owner', 'stranger']),
    makeKey(databaseUrl, ['--name', 'exemplary', '--owner', 'exemplary']),
  ]);
  return { own, read, write, predict, stranger, exemplary, revoked };
}

/** Makes one key, and gives it. */
export function makeKey(databaseUrl: string, options: readonly string[]): Promise<string> {
  return said(databaseUrl, ['keys', 'create', ...options]);
}

/** What a command of the service said. */
async function said(databaseUrl: string, args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runRoster(args, { DATABASE_URL: databaseUrl });
  if (code !== 0) {
    throw new Error(`roster ${args.join(' ')} ended with ${code}:\n${stderr}`);
  }
  return stdout.trim();
}
