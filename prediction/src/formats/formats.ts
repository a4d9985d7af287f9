import type { ByteBudget } from '../columns/byte-budget.js';
import type { RowCheck } from '../row-check/row-check.js';
import type { PredictedBlock } from '../serving/answer-layout.js';
import type { Classifier, Predictor } from '../serving/predictor.js';
import type { RowBlock } from '../serving/row-binner.js';
import type { BlockPredictor } from '../serving/row-server.js';
import type { AnswerOptions, AnswerPart } from './answer-part.js';

/** A predictor of numbers or of classes. */
export type AnyPredictor = Predictor | Classifier;

/** A line that cannot be read. The lines after it can. */
export type LineFault = Extract<AnswerPart, { kind: 'fault' }>;

/** Reads the rows of one body, and adds them to a check. */
export interface RowReader {
  /** Whether the whole body is read, and its warnings are known, before the first rows are given. */
  readonly isWhole: boolean;
  /**
   * Yields the rows of each piece of the body as it arrives.
   * @throws {RowsError | UnknownNamesError} at a fault that ends the reading
   * @throws the error of the body
   */
  read(body: AsyncIterable<Uint8Array>): AsyncIterable<Iterable<RowBlock | LineFault>>;
}

/** Writes one answer. */
export interface AnswerWriter {
  /** The number of bytes that were written and not taken. */
  readonly length: number;
  /**
   * Writes the rows of a block with their predictions, after what opens the answer. Yields where `MAX_BLOCK_BYTES`
   * or more wait to be taken.
   */
  write(block: RowBlock, predicted: PredictedBlock): Iterable<void>;
  /** Writes what closes the answer. */
  end(): void;
  /** Hands over what was written. */
  take(): Uint8Array;
}

/** Returns a reader of rows. The code of a format is loaded when it is first needed. */
export async function readerOf(
  blocks: BlockPredictor,
  options: AnswerOptions,
  check: RowCheck,
  budget: ByteBudget,
): Promise<RowReader> {
  switch (options.from) {
    case 'json':
      return new (await import('./json/json-row-reader.js')).JsonRowReader(blocks, options, check);
    case 'arrow-stream':
    case 'arrow-file': {
      const format = options.from === 'arrow-stream' ? 'stream' : 'file';
      const { ArrowRowReader } = await import('./arrow/arrow-row-reader.js');
      return new ArrowRowReader(blocks, options, check, format, budget);
    }
    case 'csv':
      return new (await import('./csv/csv-row-reader.js')).CsvRowReader(blocks, options, check);
    case 'parquet':
      return new (await import('./parquet/parquet-row-reader.js')).ParquetRowReader(
        blocks,
        options,
        check,
        budget,
      );
    case 'ndjson':
      return new (await import('./json/ndjson-row-reader.js')).NdjsonRowReader(
        blocks,
        options,
        check,
      );
  }
}

/** Returns a writer of answers. The code of a format is loaded when it is first needed. */
export async function writerOf(
  blocks: BlockPredictor,
  options: Omit<AnswerOptions, 'from'>,
  budget: ByteBudget,
): Promise<AnswerWriter> {
  switch (options.to) {
    case 'json':
    case 'ndjson':
      return new (await import('./json/json-writer.js')).JsonWriter(blocks, options.to);
    case 'arrow-stream':
    case 'arrow-file':
      return new (await import('./arrow/arrow-writer.js')).ArrowWriter(
        blocks.layout,
        options,
        budget,
      );
    case 'csv':
      return new (await import('./csv/csv-writer.js')).CsvWriter(blocks, options);
  }
}
