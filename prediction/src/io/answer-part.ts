import type { AdaptedCalibration } from '../calibration/adapting.js';
import type { PredictedBlock, RowOptions } from '../rows/answer-layout.js';
import type { RememberedPart } from '../rows/promise-memory.js';
import type { RowBlock } from '../rows/row-binner.js';
import type { SchemaCheck } from '../rows/row-check.js';
import type { RowWarnings, UnknownName } from '../rows/row-warnings.js';
import type { CsvOptions } from './csv/csv-dialect.js';
import type { SheetOptions } from './xlsx/sheet-table.js';

export type RowFormat = 'json' | 'ndjson' | 'csv' | 'arrow-stream' | 'arrow-file' | 'parquet' | 'xlsx';

export type AnswerFormat = Exclude<RowFormat, 'parquet' | 'xlsx'>;

/** The form of CSV, in place of that which its first lines show, and the part of a workbook that is read. */
export type TableForm = CsvOptions & SheetOptions;

/** The way in which the rows of a body are read. */
export interface ReadOptions {
  readonly from: RowFormat;
  /** The treatment of unknown names. `refuse` refuses each such line of NDJSON, and else the whole body. */
  readonly unknown?: 'ignore' | 'refuse';
  readonly form?: TableForm;
}

/** The treatment of a body of rows. `rows` counts for JSON alone: the columns of CSV and Arrow are lean. */
export interface AnswerOptions extends RowOptions, ReadOptions {
  readonly to: AnswerFormat;
  /** The calibration that answers in place of the trained one, for a predictor that has not adapted to it. */
  readonly adapted?: AdaptedCalibration;
  /** See `PredictOptions`. */
  readonly confidence?: number;
  readonly steps?: number;
  readonly backtest?: number;
}

/** A part of an answer, in order. */
export type AnswerPart =
  /** The number of rows of the answer, if it is known. Comes before all parts with rows. */
  | { readonly kind: 'count'; readonly rows: number }
  /** Bytes to send, and the number of rows answered since the previous bytes, among them all rows of these bytes. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly rows: number }
  /** A line of NDJSON that has no answer. */
  | {
      readonly kind: 'fault';
      readonly line: number;
      readonly message: string;
      /** The unknown names of the line, if it was refused for them. */
      readonly unknown?: readonly UnknownName[];
    }
  /**
   * Warnings of what the model does not know in the rows: in the first part if the rows are JSON, else in the last.
   */
  | { readonly kind: 'warnings'; readonly warnings: RowWarnings }
  /** Promises of rows that are to be remembered, whose bytes may have come before. */
  | RememberedPart;

/** A line that cannot be read. The lines after it can. */
export type LineFault = Extract<AnswerPart, { kind: 'fault' }>;

/** Reads the rows of one body, and adds them to a check. */
export interface RowReader {
  /** True if the whole body is read, and its warnings are known, before the first rows are given. */
  readonly isWhole: boolean;
  /** The number of rows, if it is known before they are answered. */
  readonly rowCount?: number | undefined;
  /**
   * Yields the rows of each piece of the body as it arrives.
   * @throws {FormatError | UnknownNamesError} at a fault that ends the reading
   * @throws the error of the body
   */
  read(body: AsyncIterable<Uint8Array>): AsyncIterable<Iterable<RowBlock | LineFault>>;
}

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
  /** Gives back what the writer holds. Nothing is written after. */
  close(): void;
}

/** The rows have unknown names, which were to be refused. */
export class UnknownNamesError extends Error {
  override readonly name = 'UnknownNamesError';

  constructor(readonly names: readonly UnknownName[]) {
    super('The rows have names that the model does not know');
  }
}

/** Unknown names that a refusal lists at most. */
export const MAX_UNKNOWN_NAMES = 21;

/** @throws {UnknownNamesError} if a check has found unknown names */
export function refuseUnknown(check: SchemaCheck): void {
  const names = check.unknownNames(MAX_UNKNOWN_NAMES);
  if (names.length > 0) throw new UnknownNamesError(names);
}

/**
 * Tells, before the first part of an answer, that a JSON body is not for the fast way: it is malformed, no UTF-8,
 * too large in some measure or of another shape, or the kernel cannot be loaded. Read it as a whole, which reports
 * its fault, or gives rows for `answerParsedRows`.
 */
export class DeclinedError extends Error {
  override readonly name = 'DeclinedError';

  constructor() {
    super('The body is to be read as a whole');
  }
}
