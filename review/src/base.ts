import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { posix, relative, sep } from 'node:path';

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
 * the main branch itself, the last commit if the file differs from it, else the one before.
 * @throws {NoBase} if there is no such commit, or no git repository.
 */
export function findBase(reference: string | undefined, isChanged: boolean): Base {
  if (reference !== undefined) return { commit: findCommit(reference), name: reference };
  const head = findCommit('HEAD');
  for (const main of MAIN) {
    const commit = tryGit('merge-base', 'HEAD', main)?.trim();
    if (commit && commit !== head) return { commit, name: `where this branch left ${main}` };
  }
  return isChanged
    ? { commit: head, name: 'the last commit' }
    : { commit: findCommit('HEAD^'), name: 'the commit before' };
}

/** Returns the short hash and the subject of a commit, and its name in the review. */
export function describe({ commit, name }: Base): string {
  return `${tryGit('log', '-1', '--format=%h %s', commit)?.trim() ?? commit} (${name})`;
}

/** Returns whether a file has another text than in the last commit. */
export function isChangedHere(file: string, text: string | undefined): boolean {
  return text !== tryGit('show', `HEAD:./${file}`);
}

/** Returns words for the version here: the last commit, or the working tree if the file differs from it. */
export function describeHere(isChanged: boolean): string {
  const head = tryGit('log', '-1', '--format=%h %s', 'HEAD')?.trim() ?? 'HEAD';
  return isChanged ? `the working tree, on ${head}` : head;
}

/**
 * Returns the content of a file at a commit; undefined if it did not exist.
 * @param file the path relative to the current folder.
 */
export function fileAt(base: Base, file: string): string | undefined {
  return filesAt(base, [file])[0];
}

/**
 * Returns the contents of files at a commit, in one call of git; undefined for one that did not exist.
 * @param files the paths relative to the current folder.
 */
export function filesAt({ commit }: Base, files: readonly string[]): (string | undefined)[] {
  const names = files.map((file) => {
    const path = posix.normalize(file);
    return `${commit}:${path.startsWith('../') ? '' : './'}${path}`;
  });
  // A line is a name: one with a line break would be two.
  const input = names.map((name) => (/[\r\n]/.test(name) ? ':' : name)).join('\n');
  const output = tryGitBytes(['cat-file', '--batch'], `${input}\n`);
  let at = 0;
  return files.map(() => {
    if (!output) return undefined;
    const end = output.indexOf('\n', at);
    const [, type, size] = /^\S+ (\w+) (\d+)$/.exec(output.toString('utf8', at, end)) ?? [];
    const start = end + 1;
    at = size === undefined ? start : start + Number(size) + 1;
    return type === 'blob' ? output.toString('utf8', start, at - 1) : undefined;
  });
}

/**
 * Returns the content of a file in the working tree; undefined if there is none, or if it is outside the repository.
 * @param file the path relative to the current folder.
 */
export function fileHere(file: string): string | undefined {
  try {
    const path = realpathSync(file);
    const top = realpathSync(tryGit('rev-parse', '--show-toplevel')?.trimEnd() ?? '.');
    const isOutside = relative(top, path).split(sep)[0] === '..';
    return isOutside ? undefined : readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function findCommit(reference: string): string {
  if (tryGit('rev-parse', '--git-dir') === undefined) {
    throw new NoBase('this is not a git repository, or there is no git; there is nothing to compare with');
  }
  const verified = ['rev-parse', '--verify', '--quiet', '--end-of-options'];
  const commit = tryGit(...verified, `${reference}^{commit}`)?.trim();
  if (!commit) {
    const isShallow = tryGit('rev-parse', '--is-shallow-repository')?.trim() === 'true';
    const hint = isShallow ? '; a shallow clone has few: git fetch --unshallow gets the others' : '';
    throw new NoBase(`there is no commit ${reference}${hint}`);
  }
  return commit;
}

const ENOUGH_FOR_A_CONTRACT = 64 * 1024 * 1024;

/** Runs git without a shell, and returns its output; undefined if it fails. */
function tryGit(...args: string[]): string | undefined {
  return tryGitBytes(args)?.toString('utf8');
}

function tryGitBytes(args: readonly string[], input = ''): Buffer | undefined {
  try {
    return execFileSync('git', args, { maxBuffer: ENOUGH_FOR_A_CONTRACT, input, stdio: ['pipe', 'pipe', 'ignore'] });
  } catch {
    return undefined;
  }
}
