import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { DuckDBConnection, DuckDBOutputChunk, DuckDBType } from '@duckdb/node-api';
import type { ArrowValues } from 'roster-prediction/arrow';
import { loadDuckdb } from '../../databases/duckdb/load-duckdb.js';
import type { AnswerBatch, AnswerColumn, AnswerType } from './answers.js';

/** A file to write. */
export interface WriteJob {
  /** Writes the file from the table `answers()`, and whatever else it reads. */
  readonly sql: string;
  readonly columns: readonly AnswerColumn[];
  /** The table function's own name: each file has one. */
  readonly table: string;
  readonly rows: number;
  readonly answers: MessagePort;
  /** Counts what was sent to the port; DuckDB waits for it in this thread, where nothing else is to be done. */
  readonly sent: Int32Array;
}

/** A message to the port of a job. */
export type Answers = AnswerBatch | 'end' | 'abort';

/** A message to the thread: a file to write, or that none follows. */
export type WriteRequest = WriteJob | 'close';

/** A report of the thread: that it took a batch, at the end of a job its rows, or its failure, and that it may end. */
export type WriteReport =
  | { readonly kind: 'taken' }
  | { readonly kind: 'closed' }
  | { readonly kind: 'written'; readonly rows: number }
  | { readonly kind: 'failed'; readonly message: string };

/** The most rows of a chunk of DuckDB. */
const CHUNK_ROWS = 2048;

const duckdb = loadDuckdb();
const settings: Readonly<Record<string, string>> = workerData;
const opened = duckdb.DuckDBInstance.create(':memory:', settings).then((instance) => instance.connect());

/** The values that a list has in DuckDB's package. */
const TYPES: Readonly<Record<AnswerType, DuckDBType>> = {
  DOUBLE: duckdb.DOUBLE,
  BOOLEAN: duckdb.BOOLEAN,
  VARCHAR: duckdb.VARCHAR,
  'VARCHAR[]': duckdb.LIST(duckdb.VARCHAR),
};

parentPort?.on('message', (job: WriteRequest) => {
  const report = (message: WriteReport) => parentPort?.postMessage(message);
  if (job === 'close') {
    opened
      .then((connection) => connection.closeSync())
      .catch(() => {})
      .finally(() => report({ kind: 'closed' }));
    return;
  }
  opened
    .then((connection) => write(connection, job, report))
    .then((rows) => report({ kind: 'written', rows }))
    .catch((error: unknown) =>
      report({ kind: 'failed', message: error instanceof Error ? error.message : String(error) }),
    )
    .finally(() => job.answers.close());
});

async function write(
  connection: DuckDBConnection,
  { sql, columns, table, rows, answers, sent }: WriteJob,
  report: (message: WriteReport) => void,
): Promise<number> {
  let current: AnswerBatch | undefined;
  let at = 0;
  let isOver = false;
  const fill = (output: DuckDBOutputChunk) => {
    while (!isOver && (current === undefined || at === current.rows)) {
      if (current !== undefined) report({ kind: 'taken' });
      const next = take(answers, sent);
      if (next === 'abort') throw new Error('The scoring was ended.');
      if (next === 'end') isOver = true;
      else [current, at] = [next, 0];
    }
    const count = isOver || current === undefined ? 0 : Math.min(CHUNK_ROWS, current.rows - at);
    output.rowCount = count;
    if (count === 0 || current === undefined) return;
    for (const [place, values] of current.columns.entries()) {
      setValues(output, place, values, at, count);
    }
    at += count;
  };
  connection.registerTableFunction(
    duckdb.DuckDBTableFunction.create({
      name: table,
      bindFunction: (info) => {
        for (const { name, type } of columns) info.addResultColumn(name, TYPES[type]);
        info.setCardinality(rows, true);
      },
      initFunction: (info) => info.setMaxThreads(1),
      mainFunction: (info, output) => {
        try {
          fill(output);
        } catch (error) {
          info.setError(error instanceof Error ? error.message : String(error));
        }
      },
    }),
  );
  const result = await connection.run(sql);
  const [[count = 0] = []] = await result.getRowsJson();
  return Number(count);
}

/** Waits for the next message. */
function take(answers: MessagePort, sent: Int32Array): Answers {
  for (;;) {
    const seen = Atomics.load(sent, 0);
    const received: { message: Answers } | undefined = receiveMessageOnPort(answers);
    if (received) return received.message;
    Atomics.wait(sent, 0, seen);
  }
}

function setValues(output: DuckDBOutputChunk, place: number, column: ArrowValues, at: number, count: number): void {
  const vector = output.getColumnVector(place);
  if (column.kind === 'numbers') {
    const { items } = vector;
    if (!(items instanceof Float64Array))
      throw new Error('This release of @duckdb/node-api has vectors of another kind.');
    items.set(column.values.subarray(at, at + count));
    const { validity } = column;
    for (let row = 0; validity && row < count; row++) {
      if ((((validity[(at + row) >> 3] ?? 0) >> ((at + row) & 7)) & 1) === 0) vector.setItem(row, null);
    }
  } else {
    for (let row = 0; row < count; row++) {
      const value = column.values[at + row] ?? null;
      vector.setItem(row, Array.isArray(value) ? duckdb.listValue(value) : value);
    }
  }
  vector.flush();
}
