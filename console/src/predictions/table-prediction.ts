import {
  type Model,
  type PredictionRow,
  ProblemError,
  type RowWarning,
  rowWarnings,
} from 'roster-client';
import { roster } from '../session/roster.js';
import { profileColumns } from '../tables/column-profile.js';
import { readRows, type TableRecord } from '../tables/read-records.js';
import { TableFileError } from '../tables/table-file-error.js';
import type { CsvHead } from '../tables/table-head.js';
import { TableWriter } from '../tables/write-records.js';
import { count, whole } from '../ui/format.js';
import {
  addedCells,
  addedColumns,
  probabilityField,
  probabilityFields,
  warningsField,
} from './added-columns.js';
import type { Comparison } from './compare-columns.js';
import { rankRows } from './rank-rows.js';
import { type Score, Scorer } from './score.js';

export interface PredictionProgress {
  readonly rows: number;
  /** From 0 to 1. */
  readonly share: number;
}

export interface PredictedTable {
  readonly file: Blob;
  readonly rows: number;
  /** The names of all columns, of which the last are the added ones. */
  readonly columns: readonly string[];
  readonly addedCount: number;
  readonly firstRows: readonly TableRecord[];
  readonly warnings: readonly RowWarning[];
  /** True if there are further warnings. */
  readonly hasMoreWarnings: boolean;
  /** The rows that have a warning in the file; undefined if the file has no such column. */
  readonly warnedRows: number | undefined;
  /** The rows whose values equal those of a row that the model was trained on, as far as the service knows them. */
  readonly seenRows: number;
  readonly comparison: Comparison;
  readonly score: Score | undefined;
  /** Ranks the rows by the probability of a class; undefined if the file has no probabilities. */
  readonly rank: ((name: string) => Promise<RankedTable>) | undefined;
  /** The confidence that was asked for; undefined if it was left to the service. */
  readonly confidence: number | undefined;
}

/** Rows of a predicted file, the most likely first. */
export interface RankedTable {
  readonly file: Blob;
  readonly rows: number;
  readonly firstRows: readonly TableRecord[];
}

interface Piece {
  readonly records: readonly TableRecord[];
  /** The share of the file up to its end. */
  readonly share: number;
}

const MAX_ROWS_AT_A_TIME = 2_000;
const MAX_CHARACTERS_AT_A_TIME = 1 << 20;
const MAX_SHOWN_ROWS = 8;

/** The longest name of a model in an address, with its version. */
const MAX_NAME_LENGTH = 100;

/** Predicts the rows of a file, a piece at a time, and goes on after an error where it stopped. */
export class TablePrediction {
  readonly #project: string;
  readonly #model: Model;
  readonly #head: CsvHead;
  readonly #comparison: Comparison;
  readonly #confidence: number | undefined;
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
  readonly #firstRows: TableRecord[] = [];
  readonly #warnings = new Map<string, RowWarning>();
  #hasMoreWarnings = false;
  #rows = 0;
  #piece: Piece | undefined;
  #readError: unknown;

  constructor(
    project: string,
    model: Model,
    head: CsvHead,
    comparison: Comparison,
    confidence: number | undefined,
  ) {
    const { delimiter } = head.format;
    this.#project = project;
    this.#model = model;
    this.#head = head;
    this.#comparison = comparison;
    this.#confidence = confidence;
    this.#pieces = piecesOf(head);
    this.#scorer = new Scorer(model);
    this.#added = addedColumns(model, head.columns);
    this.#hasProbabilities = probabilityFields(model).length > 0;
    this.#warningsField = warningsField(model);
    this.#ofColumns = comparison.unknown
      .filter(({ nearest }) => nearest !== null)
      .map(({ name }) => `${name}: unknown-name`);
    this.#hasDecimalComma =
      delimiter !== ',' && profileColumns(head).some((column) => column.hasDecimalComma);
    this.#writer = this.#beginFile();
  }

  #beginFile(): TableWriter {
    const { format } = this.#head;
    // Spreadsheets tell UTF-8 from other encodings by the mark.
    const writer = new TableWriter(format, format.hasMark || format.encoding !== 'utf-8');
    writer.add([this.#columns]);
    return writer;
  }

  get #columns(): string[] {
    return [...this.#head.columns, ...this.#added.map(({ name }) => name)];
  }

  /**
   * Predicts all rows that have not been predicted yet.
   * @throws ProblemError or ConnectionError if the service refuses or does not answer; run again, it continues
   * @throws TableFileError if the file cannot be read further; run again, it throws the same
   */
  async run(
    onProgress: (progress: PredictionProgress) => void,
    signal: AbortSignal,
  ): Promise<PredictedTable> {
    for (;;) {
      this.#piece ??= await this.#next();
      if (this.#piece === undefined) return this.#result();
      const { records, share } = this.#piece;
      this.#write(records, await this.#predict(records, signal));
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

  async #predict(records: readonly TableRecord[], signal: AbortSignal): Promise<PredictionRow[]> {
    const { used } = this.#comparison;
    const { name, version } = this.#model;
    // By its version, so that all rows are answered by the same one.
    const versioned = `${name}.${version}`;
    const modelName = versioned.length <= MAX_NAME_LENGTH ? versioned : name;
    const { data, error, response } = await roster.POST(
      '/api/projects/{projectName}/models/{modelName}/predict',
      {
        params: {
          path: { projectName: this.#project, modelName },
          query: {
            rows: 'lean',
            ...(this.#hasProbabilities && { probabilities: true }),
            ...(this.#confidence !== undefined && { confidence: this.#confidence }),
            ...(this.#warningsField !== undefined && { warnings: true }),
          },
        },
        body: records.map((record) =>
          Object.fromEntries(used.map((column) => [column.name, record[column.index] ?? ''])),
        ),
        signal,
      },
    );
    if (error !== undefined) throw new ProblemError(error, response);
    if (data?.length !== records.length) {
      throw new Error(
        `The service answered ${whole(data?.length ?? 0)} of ${count(records.length, 'row')}.`,
      );
    }
    const { warnings, more } = rowWarnings(response);
    for (const warning of warnings) this.#note(warning);
    this.#hasMoreWarnings ||= more > 0;
    return data;
  }

  #note(warning: RowWarning): void {
    const id = JSON.stringify([warning.kind, warning.name]);
    const rows = warning.rows + (this.#warnings.get(id)?.rows ?? 0);
    this.#warnings.set(id, { ...warning, rows });
  }

  #write(records: readonly TableRecord[], answers: readonly PredictionRow[]): void {
    const { targetIndex } = this.#comparison;
    const width = this.#head.columns.length;
    const written = answers.map((answer, index) => {
      const record = records[index] ?? [];
      if (targetIndex !== undefined) this.#scorer.add(record[targetIndex] ?? '', answer);
      const cells = Array.from({ length: width }, (_, column) => record[column] ?? '');
      const told = this.#tellColumns(answer);
      return [...cells, ...addedCells(this.#added, told, this.#hasDecimalComma)];
    });
    this.#writer.add(written);
    this.#rows += written.length;
    this.#firstRows.push(...written.slice(0, MAX_SHOWN_ROWS - this.#firstRows.length));
  }

  /** Adds to the warnings of a row what is said of the columns of the file. */
  #tellColumns(answer: PredictionRow): PredictionRow {
    const field = this.#warningsField;
    if (field === undefined) return answer;
    const own = answer[field];
    if (/^trained-on(;|$)/.test(String(own))) this.#seenRows++;
    const all = typeof own === 'string' ? [own, ...this.#ofColumns] : this.#ofColumns;
    if (all.length === 0) return answer;
    this.#warnedRows++;
    return { ...answer, [field]: all.join('; ') };
  }

  async #rank(file: Blob, name: string): Promise<RankedTable> {
    const field = probabilityField(this.#model, name);
    const added = this.#added.findIndex((column) => column.field === field);
    const format = { ...this.#head.format, encoding: 'utf-8', headerLine: 1 } as const;
    const rows = await rankRows(file, format, this.#head.columns.length + added);
    const writer = this.#beginFile();
    writer.add(rows);
    const firstRows = rows.slice(0, MAX_SHOWN_ROWS);
    return { file: writer.toBlob(), rows: rows.length, firstRows };
  }

  #result(): PredictedTable {
    const file = this.#writer.toBlob();
    return {
      file,
      rows: this.#rows,
      columns: this.#columns,
      addedCount: this.#added.length,
      firstRows: this.#firstRows,
      warnings: [...this.#warnings.values()],
      hasMoreWarnings: this.#hasMoreWarnings,
      warnedRows: this.#warningsField === undefined ? undefined : this.#warnedRows,
      seenRows: this.#seenRows,
      comparison: this.#comparison,
      score: this.#scorer.score,
      rank: this.#hasProbabilities ? (name) => this.#rank(file, name) : undefined,
      confidence: this.#confidence,
    };
  }
}

/** Divides the rows of a file into pieces of a size that one request can have. */
async function* piecesOf({ file, format, columns }: CsvHead): AsyncGenerator<Piece> {
  const width = columns.length;
  let begin = 0;
  let before = 0;
  for await (const { records: rows, share } of readRows(file, format)) {
    const long = rows.findIndex((row) => row.length > width && row.slice(width).some(Boolean));
    if (long >= 0) {
      throw new TableFileError(
        `Row ${whole(before + long + 1)} has ${count(rows[long]?.length ?? 0, 'field')}, the header has ${whole(width)}. Put a field that holds a separator in quotes.`,
      );
    }
    before += rows.length;
    for (let from = 0; from < rows.length; ) {
      const to = endOfPiece(rows, from);
      yield { records: rows.slice(from, to), share: begin + ((share - begin) * to) / rows.length };
      from = to;
    }
    begin = share;
  }
}

function endOfPiece(rows: readonly TableRecord[], from: number): number {
  let characters = 0;
  for (let to = from; to < rows.length; to++) {
    for (const cell of rows[to] ?? []) characters += cell.length;
    const isFull = to - from === MAX_ROWS_AT_A_TIME || characters > MAX_CHARACTERS_AT_A_TIME;
    if (isFull && to > from) return to;
  }
  return rows.length;
}
