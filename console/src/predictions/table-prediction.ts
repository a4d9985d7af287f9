import {
  type Model,
  type PredictionRow,
  ProblemError,
  type RowWarning,
  type RowWarnings,
  rowWarnings,
} from 'roster-client';
import { withoutFormula } from 'roster-prediction/browser';
import { roster } from '../session/roster.js';
import { profileColumns } from '../tables/column-profile.js';
import type { TableRecord } from '../tables/read-records.js';
import { TableFileError } from '../tables/table-file-error.js';
import type { TableFormat } from '../tables/table-format.js';
import { isCsv, type TableHead } from '../tables/table-head.js';
import { TableWriter } from '../tables/write-records.js';
import { bytes, count, whole } from '../ui/format.js';
import {
  addedCells,
  addedColumns,
  probabilityFields,
  reasonFields,
  warningsField,
  withFormula,
} from './added-columns.js';
import type { Comparison } from './compare-columns.js';
import { type Contributions, explainRow } from './contributions.js';
import { type AnswerLine, type Piece, readLines, readPieces } from './pieces.js';
import { pinnedName } from './pinned-name.js';
import { ROW_ID } from './remember-fields.js';
import { describeResult, type ResultRow, type ResultTable } from './result-columns.js';
import { type ArrangedRows, type Arrangement, ResultRows } from './result-rows.js';
import { type Score, Scorer } from './score.js';

export interface PredictionProgress {
  readonly rows: number;
  /** From 0 to 1; undefined if nobody knows. */
  readonly share: number | undefined;
}

export interface PredictedTable {
  readonly file: Blob;
  readonly rows: number;
  /** The names of all columns, of which the last are the added ones. */
  readonly columns: readonly string[];
  /** How the rows are shown. */
  readonly table: ResultTable;
  /** Sorts and filters the rows. */
  readonly arrange: (wanted: Arrangement) => Promise<ArrangedRows>;
  /** Writes rows in the format of the file. */
  readonly write: (rows: readonly TableRecord[]) => Blob;
  /** Asks what each column added to the prediction of a row. */
  readonly explain: (row: ResultRow) => Promise<Contributions | undefined>;
  /** True if a workbook of all rows can be made in the page. */
  readonly fitsWorkbook: boolean;
  readonly warnings: readonly RowWarning[];
  /** True if there are further warnings. */
  readonly hasMoreWarnings: boolean;
  /** The rows that have a warning in the file; undefined if the file has no such column. */
  readonly warnedRows: number | undefined;
  /** The rows whose values equal those of a row that the model was trained on, as far as the service knows them. */
  readonly seenRows: number;
  readonly comparison: Comparison;
  readonly score: Score | undefined;
  /** The confidence that was asked for; undefined if it was left to the service. */
  readonly confidence: number | undefined;
  /** The column by which remembered rows are known, '' for the id of the answer; undefined if none are remembered. */
  readonly id: string | undefined;
}

const PREDICT = '/api/projects/{projectName}/models/{modelName}/predict';

/** The most bytes of a file that the service reads as a whole, and of one that it answers while it arrives. */
const [MAX_WHOLE_BYTES, MAX_STREAM_BYTES] = [32 << 20, 1 << 20];

/** The format of a predicted file whose own format is not CSV, as all spreadsheets read it. */
const PLAIN_CSV: TableFormat = { encoding: 'utf-8', hasMark: true, delimiter: ',', newline: '\r\n', headerLine: 1 };

/**
 * Predicts the rows of a file. Those of CSV are sent a piece at a time, and go on after an error where they stopped. A
 * file of another format is sent as a whole; the predicted one has those of its columns that the model knows.
 */
export class TablePrediction {
  readonly #project: string;
  readonly #model: Model;
  readonly #head: TableHead;
  readonly #format: TableFormat;
  /** The columns of the file that the predicted one has. */
  readonly #own: readonly string[];
  readonly #targetIndex: number;
  readonly #comparison: Comparison;
  readonly #confidence: number | undefined;
  readonly #id: string | undefined;
  /** The columns that are sent of CSV. */
  readonly #sent: readonly { readonly name: string; readonly index: number }[];
  readonly #pieces: AsyncGenerator<Piece>;
  readonly #writer: TableWriter;
  readonly #scorer: Scorer;
  readonly #added;
  readonly #hasProbabilities: boolean;
  readonly #warningsField: string | undefined;
  /** The warnings of each row that concern the columns of the file. */
  readonly #ofColumns: readonly string[];
  #warnedRows = 0;
  #seenRows = 0;
  readonly #hasDecimalComma: boolean;
  readonly #written: ResultRows;
  readonly #warnings = new Map<string, RowWarning>();
  #hasMoreWarnings = false;
  #rows = 0;
  #piece: Piece | undefined;
  #readError: unknown;
  #signal: AbortSignal | undefined;

  constructor(
    project: string,
    model: Model,
    head: TableHead,
    comparison: Comparison,
    confidence: number | undefined,
    id: string | undefined,
    private readonly isExplained = false,
  ) {
    const isText = isCsv(head);
    const unknown = new Set(comparison.unknown.map(({ name }) => name));
    this.#id = id;
    this.#sent = comparison.used.some(({ name }) => name === id)
      ? comparison.used
      : [...comparison.used, ...(id ? [{ name: id, index: head.columns.indexOf(id) }] : [])];
    this.#project = project;
    this.#model = model;
    this.#head = head;
    this.#comparison = comparison;
    this.#confidence = confidence;
    this.#format = isText ? head.format : PLAIN_CSV;
    this.#own = isText ? head.columns : head.columns.filter((name) => !unknown.has(name));
    this.#targetIndex = this.#own.indexOf(model.target);
    this.#written = new ResultRows((cells) =>
      isText ? cells : cells.map((cell, at) => (at < this.#own.length ? withFormula(cell) : cell)),
    );
    this.#pieces = isText ? readPieces(head) : this.#answerWhole();
    this.#scorer = new Scorer(model);
    this.#added = addedColumns(model, head.columns, chosenFields(model, id, isExplained));
    this.#hasProbabilities = probabilityFields(model).length > 0;
    this.#warningsField = warningsField(model);
    this.#ofColumns = comparison.unknown
      .filter(({ name, nearest }) => nearest !== null && name !== id)
      .map(({ name }) => `${name}: unknown-name`);
    this.#hasDecimalComma =
      this.#format.delimiter !== ',' && profileColumns(head).some((column) => column.hasDecimalComma);
    this.#writer = this.#beginFile();
  }

  #beginFile(): TableWriter {
    const format = this.#format;
    // Spreadsheets recognise UTF-8 by the mark.
    const writer = new TableWriter(format, format.hasMark || format.encoding !== 'utf-8');
    writer.add([this.#columns]);
    return writer;
  }

  /** Returns rows as the file has them. Texts of other formats than CSV may be formulas there. */
  #toWritten(rows: readonly TableRecord[]): readonly TableRecord[] {
    return isCsv(this.#head) ? rows : rows.map((row) => row.map((cell) => withoutFormula(cell)));
  }

  get #columns(): string[] {
    return [...this.#own, ...this.#added.map(({ name }) => name)];
  }

  /**
   * Predicts all rows that have not been predicted yet.
   * @throws ProblemError or ConnectionError if the service refuses or does not answer; run again, it continues
   * @throws TableFileError if the file cannot be read further; run again, it throws the same
   */
  async run(onProgress: (progress: PredictionProgress) => void, signal: AbortSignal): Promise<PredictedTable> {
    this.#signal = signal;
    for (;;) {
      this.#piece ??= await this.#next();
      if (this.#piece === undefined) return this.#result();
      const { records, share, answers } = this.#piece;
      this.#write(records, answers ?? (await this.#predict(records)));
      this.#piece = undefined;
      onProgress({ rows: this.#rows, share });
    }
  }

  /** Reads the next piece. Keeps the error: a generator that has thrown looks like one that has ended. */
  async #next(): Promise<Piece | undefined> {
    if (this.#readError !== undefined) throw this.#readError;
    try {
      return (await this.#pieces.next()).value ?? undefined;
    } catch (error) {
      this.#readError = error;
      throw error;
    }
  }

  async #predict(records: readonly TableRecord[]): Promise<PredictionRow[]> {
    const { data, error, response } = await roster.POST(PREDICT, {
      params: this.#params(),
      body: records.map((record) =>
        Object.fromEntries(this.#sent.map((column) => [column.name, record[column.index] ?? ''])),
      ),
      signal: this.#signal ?? null,
    });
    if (error !== undefined) throw new ProblemError(error, response);
    if (data?.length !== records.length) {
      throw new Error(`The service answered ${whole(data?.length ?? 0)} of ${count(records.length, 'row')}.`);
    }
    this.#note(rowWarnings(response));
    return data;
  }

  async *#answerWhole(): AsyncGenerator<Piece> {
    const { file, type } = this.#head;
    const isLines = type === 'application/x-ndjson';
    const maxBytes = type.endsWith('arrow.stream') ? MAX_STREAM_BYTES : MAX_WHOLE_BYTES;
    if (file.size > maxBytes) {
      throw new TableFileError(
        `A file of this format can have at most ${bytes(maxBytes)} here. Save it as CSV, which can have any size.`,
      );
    }
    const { data, error, response } = await roster.POST(PREDICT, {
      params: this.#params(this.#targetIndex >= 0),
      // A page cannot read answers while it sends, as lines need it.
      body: isLines ? new Blob([toArray(await file.text())]) : file,
      headers: { 'Content-Type': isLines ? 'application/json' : type, Accept: 'application/x-ndjson' },
      parseAs: 'stream',
      signal: this.#signal ?? null,
    });
    if (error !== undefined) throw new ProblemError(error, response);
    this.#note(rowWarnings(response));
    const isRow = (line: AnswerLine): line is PredictionRow => this.#model.target in line;
    for await (const lines of data ? readLines(data) : []) {
      const answers: PredictionRow[] = [];
      for (const line of lines) {
        if (isRow(line)) answers.push(line);
        else if ('problem' in line) throw new ProblemError(line.problem, response);
        else this.#note(line);
      }
      const records = answers.map((row) =>
        this.#own.map((name, index) => String(row[index === this.#targetIndex ? `${name}_original` : name] ?? '')),
      );
      yield { records, answers, share: undefined };
    }
  }

  #params(explain = false) {
    return {
      path: { projectName: this.#project, modelName: pinnedName(this.#model) },
      query: {
        rows: 'lean',
        ...this.#head.workbook?.place,
        ...(explain && { explain }),
        ...(this.#hasProbabilities && { probabilities: true }),
        ...(this.#confidence !== undefined && { confidence: this.#confidence }),
        ...(this.#warningsField !== undefined && { warnings: true }),
        ...(this.isExplained && { contributions: true }),
        ...(this.#id !== undefined && { remember: true }),
        ...(this.#id && { id: this.#id }),
      },
    } as const;
  }

  #note({ warnings, more }: RowWarnings): void {
    for (const warning of warnings) {
      // The comparison of the columns has said so.
      if (warning.kind === 'unknown-name') continue;
      const id = JSON.stringify([warning.kind, warning.name]);
      const rows = warning.rows + (this.#warnings.get(id)?.rows ?? 0);
      this.#warnings.set(id, { ...warning, rows });
    }
    this.#hasMoreWarnings ||= more > 0;
  }

  #write(records: readonly TableRecord[], answers: readonly PredictionRow[]): void {
    const targetIndex = this.#targetIndex;
    const width = this.#own.length;
    const written = answers.map((answer, index) => {
      const record = records[index] ?? [];
      if (targetIndex >= 0) this.#scorer.add(record[targetIndex] ?? '', answer);
      const cells = Array.from({ length: width }, (_, column) => record[column] ?? '');
      const warned = this.#withColumnWarnings(answer);
      return [...cells, ...addedCells(this.#added, warned, this.#hasDecimalComma)];
    });
    this.#writer.add(this.#toWritten(written));
    this.#rows += written.length;
    this.#written.add(written);
  }

  /** Adds the warnings about the columns of the file to those of a row. */
  #withColumnWarnings(answer: PredictionRow): PredictionRow {
    const field = this.#warningsField;
    if (field === undefined) return answer;
    const own = answer[field];
    if (/^trained-on(;|$)/.test(String(own))) this.#seenRows++;
    const all = typeof own === 'string' ? [own, ...this.#ofColumns] : this.#ofColumns;
    if (all.length === 0) return answer;
    this.#warnedRows++;
    return { ...answer, [field]: all.join('; ') };
  }

  #explain({ cells }: ResultRow): Promise<Contributions | undefined> {
    const isText = isCsv(this.#head);
    const numbers = new Set(this.#model.columns?.filter(({ kind }) => kind === 'number').map(({ name }) => name));
    const sent = this.#comparison.used.map(({ name }) => {
      const cell = cells[this.#own.indexOf(name)] ?? '';
      // Numbers of other formats than CSV were numbers before they were written as cells.
      const isNumber = !isText && numbers.has(name) && cell !== '' && Number.isFinite(Number(cell));
      return [name, isNumber ? Number(cell) : cell] as const;
    });
    return explainRow(this.#project, this.#model, Object.fromEntries(sent));
  }

  #result(): PredictedTable {
    const file = this.#writer.toBlob();
    // The file that was written is UTF-8, whatever the encoding of the one that was read.
    const format = { ...this.#format, encoding: 'utf-8', headerLine: 1 } as const;
    const table = describeResult(this.#model, this.#head, {
      own: this.#own,
      added: this.#added,
      hasDecimalComma: this.#hasDecimalComma,
    });
    return {
      file,
      rows: this.#rows,
      columns: this.#columns,
      table,
      arrange: (wanted) => this.#written.arrange(file, format, table, wanted),
      write: (rows) => {
        const writer = this.#beginFile();
        writer.add(this.#toWritten(rows));
        return writer.toBlob();
      },
      explain: (row) => this.#explain(row),
      fitsWorkbook: this.#written.areFew,
      warnings: [...this.#warnings.values()],
      hasMoreWarnings: this.#hasMoreWarnings,
      warnedRows: this.#warningsField === undefined ? undefined : this.#warnedRows,
      seenRows: this.#seenRows,
      comparison: this.#comparison,
      score: this.#scorer.score,
      confidence: this.#confidence,
      id: this.#id,
    };
  }
}

/** Returns the columns that are only in the answers of the service if they are chosen. */
export const chosenFields = (model: Model, id: string | undefined, isExplained: boolean): string[] => [
  ...(isExplained ? reasonFields(model) : []),
  ...(id === undefined ? [] : [ROW_ID]),
];

/** Returns lines of JSON as an array. */
function toArray(lines: string): string {
  return `[${lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .join()}]`;
}
