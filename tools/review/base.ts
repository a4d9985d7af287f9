import { execFileSync } from 'node:child_process';

/** The version to compare with is not available; the message gives the reason. */
export class NoBase extends Error {}

/** A commit, and its name in the review. */
export interface Base {
  readonly commit: string;
  readonly name: string;
}

const MAIN = ['origin/main', 'main'];

/**
 * Returns the commit to compare with: the named one; else the one where this branch left the main branch; on
 * the main branch itself, the previous commit.
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
 * Returns the content of a file at a commit.
 * @param file the path relative to the current folder.
 * @throws {NoBase} if the file did not exist.
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

/** Runs git without a shell, and returns its output; undefined if it fails. */
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
