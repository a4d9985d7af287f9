import { findPatience, markPauses, PAUSE } from '../promises/pauses.js';
import { type PredictedBlock, refuseManyContributions } from '../rows/answer-layout.js';
import {
  type BlockPredictor,
  type BlockSource,
  MAX_ARRAY_ROWS,
  objectBlocks,
  type RowColumns,
} from '../rows/blocks.js';
import { PromiseMemory } from '../rows/promise-memory.js';
import type { RowBlock } from '../rows/row-binner.js';
import type { SchemaCheck } from '../rows/row-check.js';
import { type Pause, runSteps } from '../trees/steps.js';
import {
  type AnswerOptions,
  type AnswerPart,
  type AnswerWriter,
  DeclinedError,
  type ReadOptions,
  type RowReader,
  refuseUnknown,
} from './answer-part.js';
import { ByteBudget, PIECE_BYTES } from './columns/byte-budget.js';

/** Bytes that an answer is handed over in, and a little more. */
const PORTION = 192 * 1024;

/** Warnings that are listed at most. */
const MAX_WARNINGS = 100;

/** Rows of JSON that are checked without a pause. Each may have thousands of names. */
const CHECKED_ROWS = 16;

/**
 * Answers the rows of a body, in any pair of formats, as they arrive.
 *
 * @param pause called between two slices of work, if others wait for their turn
 * @throws {FormatError} at a fault of the body that ends its reading
 * @throws {UnknownNamesError} if the rows have unknown names that are to be refused
 * @throws {DeclinedError} before the first part, if a JSON body is not for the fast way
 * @throws the error of the body
 */
export async function* answerRows(
  predictor: BlockSource,
  body: AsyncIterable<Uint8Array>,
  options: AnswerOptions,
  pause?: Pause,
): AsyncGenerator<AnswerPart> {
  const budget = new ByteBudget();
  const blocks = predictBlocks(predictor, options);
  // Rows that are gathered as objects are parsed as such.
  if (blocks.gather && options.from === 'json') throw new DeclinedError();
  const check = blocks.check();
  const reader = await openReader(blocks, options, check, budget);
  yield* answerFrom(reader, blocks, check, body, options, budget, pause);
}

/** Answers parsed rows of JSON, such as those of a body that `answerRows` declined; see there. */
export async function* answerParsedRows(
  predictor: BlockSource,
  rows: readonly unknown[],
  options: Omit<AnswerOptions, 'from'>,
  pause?: Pause,
): AsyncGenerator<AnswerPart> {
  const blocks = predictBlocks(predictor, options);
  const check = blocks.check();
  const reader: RowReader = {
    isWhole: true,
    rowCount: rows.length,
    async *read() {
      for (let start = 0; start < rows.length; start += CHECKED_ROWS) {
        check.add(rows, start, Math.min(start + CHECKED_ROWS, rows.length));
        await pause?.();
      }
      if (options.unknown === 'refuse') refuseUnknown(check);
      yield objectBlocks(rows, blocks);
    },
  };
  yield* answerFrom(reader, blocks, check, NOTHING, options, new ByteBudget(), pause);
}

function predictBlocks(predictor: BlockSource, options: Omit<AnswerOptions, 'from'>) {
  const isJson = options.to === 'json' || options.to === 'ndjson';
  return predictor.blocks(isJson ? options : { ...options, rows: 'lean' });
}

const NOTHING: AsyncIterable<Uint8Array> = { async *[Symbol.asyncIterator]() {} };

async function* answerFrom(
  reader: RowReader,
  blocks: BlockPredictor,
  check: SchemaCheck,
  body: AsyncIterable<Uint8Array>,
  options: Omit<AnswerOptions, 'from'>,
  budget: ByteBudget,
  pause: Pause | undefined,
): AsyncGenerator<AnswerPart> {
  const writer = await openWriter(blocks, options, budget);
  if (blocks.prepare) await runSteps(blocks.prepare(), pause);
  try {
    yield* writeAnswer(writer, reader, blocks, check, body, options, pause);
  } finally {
    writer.close();
  }
}

async function* writeAnswer(
  writer: AnswerWriter,
  reader: RowReader,
  blocks: BlockPredictor,
  check: SchemaCheck,
  body: AsyncIterable<Uint8Array>,
  options: Omit<AnswerOptions, 'from'>,
  pause: Pause | undefined,
): AsyncGenerator<AnswerPart> {
  const gatherer = blocks.gather?.();
  // A gatherer answers with other rows than it reads.
  const memory =
    blocks.promiseSettings && new PromiseMemory(blocks.promiseSettings, gatherer ? undefined : reader.rowCount);
  let rows = 0;
  const takeBytes = (): AnswerPart => {
    const part: AnswerPart = { kind: 'bytes', bytes: writer.take(), rows };
    memory?.countBytes(part.bytes.length);
    rows = 0;
    return part;
  };
  function* promise(): Generator<AnswerPart> {
    if (writer.length > 0) yield takeBytes();
    if (memory) yield* memory.take();
  }
  function* write(block: RowBlock, predicted: PredictedBlock): Generator<AnswerPart> {
    if (memory?.isFull) yield* promise();
    const written = memory ? memory.add(block, predicted) : predicted;
    rows += block.rowCount;
    for (const _ of writer.write(block, written)) yield takeBytes();
    if (writer.length >= PORTION) yield takeBytes();
  }
  let isWarned = false;
  const read = reader.read(body);
  for await (const items of memory ? markPauses(read, () => findPatience(memory.rows)) : read) {
    if (items === PAUSE) {
      yield* promise();
      continue;
    }
    if (reader.isWhole && !isWarned) {
      const { rowCount } = reader;
      if (rowCount !== undefined && options.to === 'json') refuseManyContributions(blocks.layout, rowCount);
      if (!gatherer) {
        if (rowCount !== undefined) yield { kind: 'count', rows: rowCount };
        yield { kind: 'warnings', warnings: check.warnings(MAX_WARNINGS) };
        isWarned = true;
      }
    }
    for (const item of items) {
      if ('kind' in item) {
        if (writer.length > 0) yield takeBytes();
        yield item;
        continue;
      }
      if (gatherer) await runSteps(gatherer.add(item), pause);
      else yield* write(item, blocks.predict(item));
      if (pause) await pause();
    }
    if (writer.length > 0 && !reader.isWhole) yield takeBytes();
  }
  const maxRows = options.to === 'json' ? MAX_ARRAY_ROWS : Number.POSITIVE_INFINITY;
  if (gatherer) {
    const answer = await runSteps(gatherer.answer(maxRows), pause);
    yield { kind: 'count', rows: answer.rowCount };
    // Some warnings are of rows that were gathered.
    if (reader.isWhole) {
      yield { kind: 'warnings', warnings: check.warnings(MAX_WARNINGS) };
      isWarned = true;
    }
    for (const each of answer.blocks) {
      if (each) yield* write(each.block, each.predicted);
      if (pause) await pause();
    }
  }
  writer.end();
  yield* promise();
  if (!isWarned) yield { kind: 'warnings', warnings: check.warnings(MAX_WARNINGS) };
}

/** Yields the pieces of a file after its end: who sends one need not read the answer meanwhile, as a page cannot. */
async function* gather(body: AsyncIterable<Uint8Array>, budget: ByteBudget): AsyncGenerator<Uint8Array> {
  const arrived = budget.hold('The Arrow file that has arrived');
  const pieces: Uint8Array[] = [];
  for await (const piece of body) {
    arrived.add(piece.length + PIECE_BYTES);
    pieces.push(piece);
  }
  // The reader counts the bytes that it goes on to hold.
  pieces.reverse();
  for (let piece = pieces.pop(); piece; piece = pieces.pop()) {
    arrived.release(piece.length + PIECE_BYTES);
    yield piece;
  }
}

/** Returns a reader of rows. The code of a format is loaded when it is first needed. */
export async function openReader(
  blocks: RowColumns,
  options: ReadOptions,
  check: SchemaCheck,
  budget: ByteBudget,
): Promise<RowReader> {
  switch (options.from) {
    case 'json':
      return new (await import('./json/json-row-reader.js')).JsonRowReader(blocks, options, check);
    case 'arrow-stream':
    case 'arrow-file': {
      const format = options.from === 'arrow-stream' ? 'stream' : 'file';
      const { ColumnRowReader } = await import('./column-reader.js');
      const { readArrow } = await import('./arrow/arrow-batches.js');
      return new ColumnRowReader(blocks, options, check, (body, choose) =>
        readArrow(format === 'file' ? gather(body, budget) : body, format, budget, choose),
      );
    }
    case 'csv':
      return new (await import('./csv/csv-row-reader.js')).CsvRowReader(blocks, options, check);
    case 'parquet': {
      const { ColumnRowReader } = await import('./column-reader.js');
      const { readParquetBody } = await import('./parquet/parquet-groups.js');
      return new ColumnRowReader(blocks, options, check, (body, choose) => readParquetBody(body, budget, choose));
    }
    case 'xlsx': {
      const { XlsxRowReader } = await import('./xlsx/xlsx-rows.js');
      return new XlsxRowReader(blocks, options, check, budget);
    }
    case 'ndjson':
      return new (await import('./json/ndjson-row-reader.js')).NdjsonRowReader(blocks, options, check);
  }
}

/** Returns a writer of answers. The code of a format is loaded when it is first needed. */
async function openWriter(
  blocks: BlockPredictor,
  options: Omit<AnswerOptions, 'from'>,
  budget: ByteBudget,
): Promise<AnswerWriter> {
  switch (options.to) {
    case 'arrow-stream':
    case 'arrow-file':
      return new (await import('./arrow/arrow-writer.js')).ArrowWriter(blocks.layout, options, budget);
    case 'json':
    case 'ndjson':
    case 'csv':
      return new (await import('./text/text-writer.js')).TextWriter(blocks, options.to);
  }
}
