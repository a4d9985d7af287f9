import { execFileSync } from 'node:child_process';

/** The version to compare with cannot be had; the message says why. */
export class NoBase extends Error {}

/** A commit, and what to call it. */
export interface Base {
  readonly commit: string;
  readonly name: string;
}

const MAIN = ['origin/main', 'main'];

/**
 * The commit that a change is compared with: the one that is named; else where this branch left the
 * main one; on the main branch itself, the commit before.
 * @throws {NoBase} if there is no such commit, or no git repository.
 */
export function baseOf(reference: string | undefined): Base {
  if (reference !== undefined) return { commit: commitOf(reference), name: reference };
  const head = commitOf('HEAD');
  for (const main of MAIN) {
    const commit = tryGit('merge-base', 'HEAD', main)?.trim();
    if (commit && commit !== head) return { commit, name: `where this branch left ${main}` };
  }
  return { commit: commitOf('HEAD^'), name: 'the commit before' };
}

/**
 * A file as it was at a commit.
 * @param file relative to the current folder.
 * @throws {NoBase} if it was not there.
 */
export function fileAt({ commit, name }: Base, file: string): string {
  const text = tryGit('show', `${commit}:./${file}`);
  if (text === undefined) throw new NoBase(`there is no ${file} at ${name}`);
  return text;
}

function commitOf(reference: string): string {
  if (tryGit('rev-parse', '--git-dir') === undefined) {
    throw new NoBase(
      'this is no git repository, or there is no git; there is nothing to compare with',
    );
  }
  const verified = ['rev-parse', '--verify', '--quiet', '--end-of-options'];
  const commit = tryGit(...verified, `${reference}^{commit}`)?.trim();
  if (!commit) {
    throw new NoBase(
      `there is no commit ${reference}; a shallow clone has few: git fetch --unshallow gets the others`,
    );
  }
  return commit;
}

const ENOUGH_FOR_A_CONTRACT = 64 * 1024 * 1024;

/** What git answers; undefined if it fails. Nothing goes through a shell. */
function tryGit(...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, {
      encoding: 'utf8',
      maxBuffer: ENOUGH_FOR_A_CONTRACT,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return undefined;
  }
}
