import type { AdaptedCalibration } from '../calibration/adapting.js';
import { hashId, type IdColumns, listIdColumns, NO_ID, refuseUnusedIds, writeId } from '../promises/ids.js';
import { encodePromises, type Promises, setBytes } from '../promises/promise-batch.js';
import type { PromiseForm, PromiseSubject } from '../promises/subject.js';
import { type AnswerLayout, CONFIDENCE, MAX, MIN, type PredictedBlock, VALUE } from './answer-layout.js';
import type { RowBlock } from './row-binner.js';

/** The most rows of a batch. */
export const MAX_ROWS = 4096;

/** The batches that are handed over together, or sooner after so many bytes of the answer, which wait for them. */
const MAX_BATCHES = 4;
const MAX_BYTES = 4 * 1024 * 1024;

/** The choices of an answer of classes: the likeliest, then the number and the members of the set. */
const [LIKELIEST, SET] = [1, 2];

/** A batch of promises of one answer. */
export interface RememberedPart {
  readonly kind: 'promises';
  /** The number of its first row in the answer, from 0; the others follow. */
  readonly first: number;
  readonly rows: number;
  /** As `encodePromises` wrote them. */
  readonly promises: Uint8Array;
  /** A float64 a row, the hash of its id, or `NO_ID`; null where rows have none but the answer's. */
  readonly ids: Uint8Array | null;
  /** With the first batch of an answer. */
  readonly subject?: PromiseSubject | undefined;
  /** True if the next part is promises, too: to store them at once costs about what one of them does. */
  readonly hasNext: boolean;
}

/** The needs of blocks that are remembered. */
export interface PromiseSettings {
  readonly layout: AnswerLayout;
  readonly form: PromiseForm;
  /** The number of the first row, from 0. */
  readonly first: number;
  /** The columns of the ids of rows; none where they have none but the answer's. */
  readonly ids: IdColumns | undefined;
  /** The confidence of all rows, where no number of theirs says it. */
  readonly level: number | undefined;
  readonly adapted?: AdaptedCalibration | undefined;
}

/** Gathers what is promised of the rows of one answer. */
export class PromiseMemory {
  readonly #maxRows: number;
  readonly #form: PromiseForm;
  readonly #ids: IdColumns | undefined;
  readonly #level: number | undefined;
  readonly #adapted: AdaptedCalibration | undefined;
  readonly #classes: number;
  readonly #numberCount: number;
  readonly #choices: Uint8Array;
  /** For numbers the values, lower and upper bounds; for classes none. */
  readonly #bounds: readonly Float64Array[];
  readonly #levels: Float64Array;
  readonly #probabilities: Uint16Array;
  readonly #likeliest: Uint8Array;
  readonly #sets: Uint8Array;
  readonly #bins: readonly Uint8Array[];
  readonly #hashes: Float64Array;
  #first: number;
  #rows = 0;
  #answerBytes = 0;
  #isDescribed = false;
  /** The batches that are full. */
  #batches: Omit<RememberedPart, 'hasNext'>[] = [];

  /** @param rows the most rows of a batch and of a block: those of the answer, if it has fewer than a batch may have */
  constructor({ layout, form, first, ids, level, adapted }: PromiseSettings, rows = MAX_ROWS) {
    this.#maxRows = Math.min(rows, MAX_ROWS);
    this.#adapted = adapted;
    const { length: classes } = form.subject.classes;
    this.#form = form;
    this.#first = first;
    this.#ids = ids;
    this.#level = level;
    this.#classes = classes;
    this.#numberCount = layout.numberCount;
    this.#choices = new Uint8Array(layout.choiceCount);
    this.#levels = new Float64Array(this.#maxRows);
    this.#bounds = classes > 0 ? [] : [VALUE, MIN, MAX].map(() => new Float64Array(this.#maxRows));
    this.#probabilities = new Uint16Array(classes * this.#maxRows);
    this.#likeliest = new Uint8Array(classes > 0 ? this.#maxRows : 0);
    this.#sets = new Uint8Array(setBytes(classes) * this.#maxRows);
    this.#bins = form.features.map(() => new Uint8Array(this.#maxRows));
    this.#hashes = new Float64Array(ids ? this.#maxRows : 0);
  }

  /** The rows that were added and not taken. */
  get rows(): number {
    return this.#batches.reduce((sum, { rows }) => sum + rows, this.#rows);
  }

  /** True if what was added is to be taken. */
  get isFull(): boolean {
    return this.#batches.length >= MAX_BATCHES || this.#answerBytes >= MAX_BYTES;
  }

  /** Counts bytes of the answer that wait until the promises are stored. */
  countBytes(bytes: number): void {
    this.#answerBytes += bytes;
  }

  /**
   * Adds a block. Returns its predictions with the number of its first row.
   *
   * @throws {InvalidRowsError} as `take`
   */
  add(block: RowBlock, predicted: PredictedBlock): PredictedBlock {
    const { rowCount: count } = block;
    if (this.#rows + count > this.#maxRows) this.#endBatch();
    const start = this.#rows;
    if (this.#classes > 0) this.#addClasses(predicted, start, count);
    else this.#addIntervals(predicted, start, count);
    const { bins } = predicted;
    for (const [place, feature] of this.#form.features.entries()) {
      const ofFeature = bins?.subarray(feature * count, (feature + 1) * count);
      if (ofFeature) this.#bins[place]?.set(ofFeature, start);
    }
    if (this.#ids) this.#addIds(block, this.#ids, start);
    this.#rows += count;
    return {
      numbers: predicted.numbers,
      first: this.#first + start,
      writeChoices: (row, original, choices, at) => {
        predicted.writeChoices(row, original, choices, at);
      },
    };
  }

  /**
   * Hands over what was added.
   *
   * @throws {InvalidRowsError} if no row of the first batch of an answer has a value in the column of ids
   */
  take(): RememberedPart[] {
    if (this.#rows > 0) this.#endBatch();
    const batches = this.#batches;
    this.#batches = [];
    this.#answerBytes = 0;
    return batches.map((batch, at) => ({ ...batch, hasNext: at + 1 < batches.length }));
  }

  #endBatch(): void {
    const rows = this.#rows;
    if (!this.#isDescribed && this.#hashes.subarray(0, rows).every((hash) => hash === NO_ID)) {
      refuseUnusedIds(this.#ids, rows);
    }
    const [values, lower, upper] = this.#bounds.map((column) => column.subarray(0, rows));
    const promised: Promises['promised'] =
      values && lower && upper
        ? { kind: 'interval', values, lower, upper }
        : {
            kind: 'classes',
            count: this.#classes,
            probabilities: this.#probabilities.subarray(0, rows * this.#classes),
            likeliest: this.#likeliest.subarray(0, rows),
            sets: this.#sets.subarray(0, rows * setBytes(this.#classes)),
          };
    const bins = this.#bins.map((column) => column.subarray(0, rows));
    const promises = encodePromises({ rows, bins, promised, adapted: this.#adapted }, this.#levels.subarray(0, rows));
    const ids = this.#ids ? new Uint8Array(this.#hashes.slice(0, rows).buffer) : null;
    const subject = this.#isDescribed ? undefined : this.#form.subject;
    this.#batches.push({ kind: 'promises', first: this.#first, rows, promises, ids, subject });
    this.#isDescribed = true;
    this.#first += rows;
    this.#rows = 0;
  }

  #addIntervals({ numbers }: PredictedBlock, start: number, count: number): void {
    const [values, lower, upper] = this.#bounds;
    if (!values || !lower || !upper) return;
    const stride = this.#numberCount;
    for (let row = 0, at = 0; row < count; row++, at += stride) {
      values[start + row] = numbers[at + VALUE] ?? 0;
      lower[start + row] = numbers[at + MIN] ?? 0;
      upper[start + row] = numbers[at + MAX] ?? 0;
      this.#levels[start + row] = this.#level ?? numbers[at + CONFIDENCE] ?? 0;
    }
  }

  #addClasses(predicted: PredictedBlock, start: number, count: number): void {
    const { numbers } = predicted;
    const classes = this.#classes;
    const size = setBytes(classes);
    const choices = this.#choices;
    this.#sets.fill(0, start * size, (start + count) * size);
    for (let row = 0; row < count; row++) {
      const at = row * this.#numberCount + 1;
      const to = (start + row) * classes;
      for (let each = 0; each < classes; each++) {
        this.#probabilities[to + each] = Math.round((numbers[at + each] ?? 0) * 0xffff);
      }
      predicted.writeChoices(row, null, choices, 0);
      this.#likeliest[start + row] = choices[LIKELIEST] ?? 0;
      const set = (start + row) * size;
      const end = SET + (choices[SET] ?? 0);
      for (let place = SET + 1; place <= end; place++) {
        const member = choices[place] ?? 0;
        this.#sets[set + (member >> 3)] = (this.#sets[set + (member >> 3)] ?? 0) | (1 << (member & 7));
      }
      this.#levels[start + row] = this.#level ?? 0;
    }
  }

  #addIds(block: RowBlock, columns: IdColumns, start: number): void {
    const cells = listIdColumns(columns).map((name) => block.readColumn(name));
    for (let row = 0; row < block.rowCount; row++) {
      const id = writeId(
        columns,
        cells.map((cell) => cell(row)),
      );
      this.#hashes[start + row] = id === '' ? NO_ID : hashId(id);
    }
  }
}
