/** Records of the promises that the tests have exercised, written during a run and read afterwards. */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { root } from '../../testkit/root.js';
import { listFiles } from '../list-files.js';

/** The vitest projects whose tests exercise the contract against the server, with the script that runs each. */
export const RECORDED: Readonly<Record<string, 'test' | 'test:rest'>> = {
  unit: 'test',
  server: 'test',
  rest: 'test:rest',
  postgres: 'test:rest',
};

/** The environment variable with the name of a test's project. */
export const PROJECT = 'ROSTER_TEST_PROJECT';

/** Set to the names of the projects that a run records. Processes that the run starts have it, too. */
const RECORDING = 'ROSTER_RECORD_PROMISES';

const TOP = fileURLToPath(root);

/** The folder of a project's records: one file for each process, with the id of a promise on each line. */
const folderOf = (project: string) => `${TOP}.contract-coverage/${project}`;

/** The file that a run writes at its end, with the state of the tree: an aborted run does not count. */
const doneFile = (project: string) => `${folderOf(project)}/done.json`;

/** The hash of each file that decides what the tests exercise, by its path. */
type State = Readonly<Record<string, string>>;

const written = new Set<string>();

/**
 * Starts the records of projects all of whose tests run. Returns a function that marks the records as complete, to be
 * called at the end of the run.
 */
export function beginRecords(projects: readonly string[]): () => void {
  const state = JSON.stringify(readState());
  for (const project of projects) {
    rmSync(folderOf(project), { recursive: true, force: true });
    mkdirSync(folderOf(project), { recursive: true });
  }
  process.env[RECORDING] = projects.join(' ');
  return () => {
    for (const project of projects) writeFileSync(doneFile(project), state);
  };
}

/** Returns whether a run is recorded, and one of the promises has not been recorded by this process. */
export function isWanted(ids: readonly string[]): boolean {
  return isRecorded() && ids.some((id) => !written.has(id));
}

export function isRecorded(): boolean {
  return process.env[RECORDING]?.split(' ').includes(process.env[PROJECT] ?? '') ?? false;
}

/** Records the ids of exercised promises. Does nothing if no run is recorded. */
export function record(ids: readonly string[]): void {
  if (!isRecorded()) return;
  const fresh = ids.filter((id) => !written.has(id));
  if (fresh.length === 0) return;
  for (const id of fresh) written.add(id);
  // Written at once, since a test may kill the process.
  const lines = fresh.map((id) => `${JSON.stringify(id)}\n`).join('');
  appendFileSync(`${folderOf(process.env[PROJECT] ?? '')}/${process.pid}.jsonl`, lines);
}

/** Returns the ids of the promises that the last complete runs of projects have exercised. */
export function readRecords(projects: readonly string[]): Set<string> {
  const lines = projects.map(folderOf).flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .flatMap((name) => readFileSync(`${folder}/${name}`, 'utf8').split('\n')),
  );
  return new Set(lines.filter((line) => line !== '').map((line) => String(JSON.parse(line))));
}

/**
 * Returns why the records of a project say nothing of the tree as it is: there are none, or a file has changed since
 * the run began. Returns undefined if they can be used.
 */
export function findOutdated(project: string, now: State): string | undefined {
  if (!existsSync(doneFile(project))) return 'its tests have not run to their end';
  const then: State = JSON.parse(readFileSync(doneFile(project), 'utf8'));
  const changed = [...new Set([...Object.keys(then), ...Object.keys(now)])].find((path) => then[path] !== now[path]);
  return changed && `${changed} has changed`;
}

/** Reads the state of the contract, the service and the tests. */
export function readState(): State {
  const tested = ['client/src', 'contract', 'examples/demo', 'prediction/src', 'server'];
  const folders = [...tested, 'contract-tests', 'testkit', 'tools'];
  const files = folders.flatMap((folder) => listFiles(folder, /(?<!\.d)\.ts$/));
  // A reason can be given, or a comparison corrected, without another run.
  const read = files.filter((path) => !path.startsWith('contract-tests/coverage/'));
  return Object.fromEntries(
    ['openapi.yaml', 'vitest.config.ts', ...read.sort()].map((path) => [path, hash(readFileSync(TOP + path))]),
  );
}

const hash = (bytes: Buffer) => createHash('sha1').update(bytes).digest('base64');
