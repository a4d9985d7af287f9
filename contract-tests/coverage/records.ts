/** Records of the promises that the tests have exercised, written during a run and read afterwards. */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { root } from '../../testkit/root.js';

/** The vitest projects whose tests exercise the contract against the server. */
export const RECORDED: readonly string[] = ['unit', 'server', 'postgres'];

/** The folder of the records: one file for each process, with the id of a promise on each line. */
const FOLDER = fileURLToPath(new URL('.contract-coverage', root));

/** The file that a run writes at its end, so that an aborted run does not count. */
const DONE = `${FOLDER}/done.json`;

/** Set while a run is recorded. */
const RECORDING = 'ROSTER_RECORD_PROMISES';

const written = new Set<string>();

/** Starts the records of a run. Processes that are started from here on write to them. */
export function beginRecords(): void {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER);
  process.env[RECORDING] = `${Date.now()}`;
}

export function endRecords(): void {
  writeFileSync(DONE, JSON.stringify({ begun: Number(process.env[RECORDING]) }));
}

/** Returns whether a run is recorded, and one of the promises has not been recorded by this process. */
export function isWanted(ids: readonly string[]): boolean {
  return isRecorded() && ids.some((id) => !written.has(id));
}

export function isRecorded(): boolean {
  return process.env[RECORDING] !== undefined;
}

/** Records the ids of exercised promises. Does nothing if no run is recorded. */
export function record(ids: readonly string[]): void {
  if (!isRecorded()) return;
  const fresh = ids.filter((id) => !written.has(id));
  if (fresh.length === 0) return;
  for (const id of fresh) written.add(id);
  // Written at once, since a test may kill the process.
  const lines = fresh.map((id) => `${JSON.stringify(id)}\n`).join('');
  appendFileSync(`${FOLDER}/${process.pid}.jsonl`, lines);
}

/**
 * Returns the ids of the promises that the last complete run has exercised.
 * @param notBefore records of a run that began before this time, in milliseconds, are outdated
 * @returns undefined if there are no records, or only outdated ones
 */
export function readRecords(notBefore: number): Set<string> | undefined {
  if (begunAt() < notBefore) return undefined;
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl'));
  const lines = files.flatMap((name) => readFileSync(`${FOLDER}/${name}`, 'utf8').split('\n'));
  return new Set(lines.filter((line) => line !== '').map((line) => String(JSON.parse(line))));
}

function begunAt(): number {
  if (statSync(DONE, { throwIfNoEntry: false }) === undefined) return Number.NEGATIVE_INFINITY;
  return Number(Object(JSON.parse(readFileSync(DONE, 'utf8'))).begun);
}
