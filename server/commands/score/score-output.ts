import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { ownName, removeLeftovers } from '../../common/leftovers.js';
import { quoteName } from '../../databases/driver.js';
import { quoteText } from '../../databases/duckdb/sql-text.js';
import type { AnswerBatch, Scorer } from './answers.js';
import type { ScoredModel } from './model.js';
import type { Output } from './plan.js';
import { readBatches } from './row-batch.js';
import { parquetOptions, readFiles, readOrigin } from './tables.js';
import type { Writer, Writing } from './writer.js';

/** Says of what a file was made: equal texts are equal files. */
export function describeOrigin({ inputs, kept }: Output, model: ScoredModel, options: string): string {
  const { name, version, checksum } = model;
  const files = inputs.map(({ path }) => {
    const { size, mtimeMs } = statSync(path);
    return [basename(path), size, Math.floor(mtimeMs)];
  });
  return JSON.stringify({ model: name, version, checksum, options, columns: kept, files });
}

/**
 * Returns whether a file is there that was made of the same.
 * @throws if another one is there
 */
export async function isFinished(connection: DuckDBConnection, { path }: Output, origin: string): Promise<boolean> {
  if (!statSync(path, { throwIfNoEntry: false })) return false;
  const found = await readOrigin(connection, path);
  if (found === origin) return true;
  const why =
    found === undefined ? 'was not written by roster score' : `was made otherwise: ${explainOrigin(found, origin)}`;
  throw new Error(`${path} is there already, and ${why}; send --again to write it anew`);
}

function explainOrigin(found: string, wanted: string): string {
  const [before, now]: Record<string, unknown>[] = [JSON.parse(found), JSON.parse(wanted)];
  const differing = Object.keys(now ?? {}).filter(
    (key) => JSON.stringify(before?.[key]) !== JSON.stringify(now?.[key]),
  );
  const [key = ''] = differing;
  if (key === 'files') return 'its input files have changed since';
  return `${key} was ${JSON.stringify(before?.[key])}, and is ${JSON.stringify(now?.[key])}`;
}

/** How an output is scored. */
export interface Scoring {
  readonly connection: DuckDBConnection;
  readonly scorer: Scorer;
  readonly writer: Writer;
  readonly target: string;
  readonly signal: AbortSignal;
  readonly onRows: (rows: number) => void;
}

/**
 * Scores the rows of an output. Its file gets its name when it is whole.
 * @throws the reason of `signal` once it is aborted; no file is left then
 * @throws if rows cannot be read, answered or written, in words for the user
 */
export async function scoreOutput(output: Output, origin: string, scoring: Scoring): Promise<void> {
  const { connection, scorer, writer, target, signal } = scoring;
  const total = output.inputs.reduce((sum, { rows }) => sum + rows, 0);
  const temporary = temporaryName(output.path);
  mkdirSync(dirname(output.path), { recursive: true });
  await removeLeftovers(dirname(output.path), temporaryPrefix(output.path), /^\.part$/);
  const source = readFiles(output.inputs.map(({ path }) => path));
  const kept = nameColumns(output, scorer, target);
  const answered = scorer.columns.map(({ name }) => `a.${quoteName(name)}`);
  const sqlOf = (table: string) =>
    `COPY (SELECT ${[...kept, ...answered].join(', ')} FROM ${source} AS i POSITIONAL JOIN ${table}() AS a) TO ${quoteText(temporary)} (${parquetOptions(origin)})`;
  const writing = writer.begin(sqlOf, scorer.columns, total);
  try {
    const select = output.sent.map(({ sql }) => sql).join(', ');
    const result = await connection.stream(`SELECT ${select} FROM ${source}`);
    await scoreBatches(readBatches(result, output.sent), writing, scoring);
    const written = await writing.finish();
    if (written !== total) {
      throw new Error(`${written} rows were written, not ${total}: a file has changed meanwhile; score it again`);
    }
    signal.throwIfAborted();
    renameSync(temporary, output.path);
  } catch (error) {
    await writing.abort();
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Returns what the file gets of its inputs, under names that answers do not have. */
function nameColumns({ kept, path }: Output, { columns }: Scorer, target: string): string[] {
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()));
  return kept.map((name) => {
    if (!taken.has(name.toLowerCase())) return `i.${quoteName(name)}`;
    const original = `${target}_original`;
    const isFree = ![...taken, ...kept.map((other) => other.toLowerCase())].includes(original.toLowerCase());
    if (name !== target || !isFree) {
      throw new Error(`the column ${name} is in the rows and in the answers; leave it out of ${path} with --columns`);
    }
    return `i.${quoteName(name)} AS ${quoteName(original)}`;
  });
}

/** Hands on the answers to batches in their order; some are answered at once. */
async function scoreBatches(
  batches: ReturnType<typeof readBatches>,
  writing: Writing,
  { scorer, signal, onRows }: Scoring,
): Promise<void> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const waiting: Promise<readonly AnswerBatch[]>[] = [];
  const handOn = async () => {
    for (const answers of (await waiting.shift()) ?? []) {
      await writing.add(answers);
      onRows(answers.rows);
    }
  };
  try {
    for await (const batch of batches) {
      const answers = scorer.score(batch, either);
      // It is awaited in its turn.
      answers.catch(() => {});
      waiting.push(answers);
      if (waiting.length >= scorer.parallel) await handOn();
    }
    while (waiting.length > 0) await handOn();
  } finally {
    failed.abort();
  }
}

/** The name of a file until it is whole, with the process that writes it. */
function temporaryName(path: string): string {
  return join(dirname(path), `${ownName(temporaryPrefix(path))}.part`);
}

function temporaryPrefix(path: string): string {
  return `.${basename(path)}.`;
}
