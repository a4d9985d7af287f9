/** What the tests have exercised, written down while they run and read when they are done. */
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { fileURLToPath } from 'node:url';
import { root } from '../../testkit/root.js';

/** Where a run leaves what it has exercised: a file of each process, with the id of a promise on each line. */
const FOLDER = fileURLToPath(new URL('.contract-coverage', root));

/** What a run writes at its end, so that a run that was broken off is none. */
const DONE = `${FOLDER}/done.json`;

/** Set while a run is recorded. */
const RECORDING = 'ROSTER_RECORD_PROMISES';

const written = new Set<string>();

/** Begins the records of a run anew. Processes that are started from here on write to them. */
export function beginRecords(): void {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER);
  process.env[RECORDING] = `${Date.now()}`;
}

/** Ends the records of a run. */
export function endRecords(): void {
  writeFileSync(DONE, JSON.stringify({ begun: Number(process.env[RECORDING]) }));
}

/** Writes down which promises were exercised; nothing where no run is recorded. */
export function record(ids: readonly string[]): void {
  if (process.env[RECORDING] === undefined) return;
  const fresh = ids.filter((id) => !written.has(id));
  if (fresh.length === 0) return;
  for (const id of fresh) written.add(id);
  // At once, and not when the process ends: a test may end it.
  const lines = fresh.map((id) => `${JSON.stringify(id)}\n`).join('');
  appendFileSync(`${FOLDER}/${process.pid}.jsonl`, lines);
}

/**
 * The ids of the promises that the last whole run has exercised.
 * @param notBefore the records of a run that began before this moment, in milliseconds, are outdated
 * @returns nothing, if there are no records, or outdated ones
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
