import { type Chunked, codesByRow, largeCodesByRow, valuesByRow } from '../../table/chunked-array.js';
import type { Steps } from '../../trees/steps.js';
import { GroupTexts } from './group-texts.js';
import type { ForecastSeries } from './series.js';
import { SeriesGroups } from './series-groups.js';

/** The end of a series: as many values as a forecast or a backtest reads. */
export interface SeriesEnd {
  /** Its values of the group columns; '' is a missing one. */
  readonly groups: readonly string[];
  /** The position of the first value that is kept. */
  readonly start: number;
  readonly values: Cells;
  /** By column that is not known ahead, and by column that is, as long as the values. */
  readonly past: readonly Cells[];
  readonly known: readonly Cells[];
  /** See `ForecastSeries`. Absent in models of earlier releases, and where bases do not compete. */
  readonly fit?: ArrayLike<number>;
}

/** Numbers by step; null and NaN are gaps. */
type Cells = ArrayLike<number | null>;

/** Columns of values, series by series. */
interface Values {
  readonly target: Float64Array;
  readonly past: readonly Float64Array[];
  readonly known: readonly Float64Array[];
}

/**
 * The ends of the series of a model, in columns that all series share: a series as an object would take ten times the
 * memory of its values.
 */
export class SeriesEnds {
  readonly groups: SeriesGroups;
  readonly #starts: Float64Array;
  readonly #ends: Uint32Array;
  readonly #values: Values;
  /** Series by series; empty if none are stored. */
  readonly #fits: Uint16Array;

  constructor(groups: SeriesGroups, starts: Float64Array, ends: Uint32Array, values: Values, fits: Uint16Array) {
    this.groups = groups;
    this.#starts = starts;
    this.#ends = ends;
    this.#values = values;
    this.#fits = fits;
  }

  get count(): number {
    return this.#ends.length;
  }

  /** The bytes of memory that they take. */
  get bytes(): number {
    const { target, past, known } = this.#values;
    const cells = target.byteLength * (1 + past.length + known.length);
    return this.groups.bytes + this.#starts.byteLength + this.#ends.byteLength + this.#fits.byteLength + cells;
  }

  /** Returns the number of values that a series has. */
  lengthOf(series: number): number {
    return (this.#ends[series] ?? 0) - (this.#ends[series - 1] ?? 0);
  }

  /** Returns a series as views of the columns. */
  series(series: number): ForecastSeries {
    const [from, to] = [this.#ends[series - 1] ?? 0, this.#ends[series]];
    const cut = (values: Float64Array) => values.subarray(from, to);
    const { target, past, known } = this.#values;
    const width = this.#fits.length / this.count;
    const fit = this.#fits.subarray(series * width, (series + 1) * width);
    return {
      start: this.#starts[series] ?? 0,
      values: cut(target),
      past: past.map(cut),
      known: known.map(cut),
      ...(width > 0 && { fit }),
    };
  }

  /** Yields all series in their order. */
  *[Symbol.iterator](): Generator<ForecastSeries & Pick<SeriesEnd, 'groups'>> {
    for (let series = 0; series < this.count; series++) {
      yield { groups: this.groups.texts(series), ...this.series(series) };
    }
  }
}

/** Gathers the ends of series, one after the other. */
export class SeriesEndsBuilder {
  readonly #codeOf: readonly Map<string, number>[];
  readonly #codes = largeCodesByRow();
  readonly #starts = valuesByRow();
  readonly #ends = largeCodesByRow();
  readonly #target = valuesByRow();
  readonly #fits = codesByRow();
  #fitLength = 0;
  readonly #past: readonly Chunked<Float64Array<ArrayBuffer>>[];
  readonly #known: readonly Chunked<Float64Array<ArrayBuffer>>[];
  #count = 0;
  #length = 0;

  /** @param counts of group columns, of columns known up to the last value, and of columns known ahead. */
  constructor(counts: { readonly groups: number; readonly past: number; readonly known: number }) {
    this.#codeOf = Array.from({ length: counts.groups }, () => new Map());
    this.#past = Array.from({ length: counts.past }, valuesByRow);
    this.#known = Array.from({ length: counts.known }, valuesByRow);
  }

  get count(): number {
    return this.#count;
  }

  /** Adds a series. @throws {Error} if its columns differ from those of the others. */
  add({ groups, start, values, past, known, fit }: SeriesEnd): void {
    const { length } = values;
    const isWhole = [...past, ...known].every((column) => column.length === length);
    const isSound = past.length === this.#past.length && known.length === this.#known.length;
    if (!isSound || !isWhole || groups.length !== this.#codeOf.length) {
      throw new Error('A series does not have the columns of its model.');
    }
    const width = fit?.length ?? 0;
    if (this.#count > 0 && this.#fitLength !== this.#count * width)
      throw new Error('A series does not have the fit that the others of its model have.');
    const series = this.#count++;
    for (let at = 0; at < width; at++) this.#fits.set(this.#fitLength++, fit?.[at] ?? 0);
    for (const [column, codeOf] of this.#codeOf.entries()) {
      const text = groups[column] ?? '';
      let code = codeOf.get(text);
      if (code === undefined) {
        code = codeOf.size;
        codeOf.set(text, code);
      }
      this.#codes.set(series * groups.length + column, code);
    }
    this.#starts.set(series, start);
    this.#put(this.#target, values);
    for (const [index, column] of past.entries()) this.#put(this.#past[index], column);
    for (const [index, column] of known.entries()) this.#put(this.#known[index], column);
    this.#length += length;
    this.#ends.set(series, this.#length);
  }

  /** Ends the gathering. @throws {Error} if two series have the same values of the group columns. */
  *finish(): Steps<SeriesEnds> {
    const columns: GroupTexts[] = [];
    for (const codeOf of this.#codeOf) {
      columns.push(yield* GroupTexts.pack([...codeOf.keys()], codeOf.size));
      codeOf.clear();
    }
    const count = this.#count;
    const codes = this.#codes.take(count * columns.length);
    const groups = yield* SeriesGroups.create(count, columns, codes);
    const take = (column: Chunked<Float64Array<ArrayBuffer>>) => column.take(this.#length);
    return new SeriesEnds(
      groups,
      this.#starts.take(count),
      this.#ends.take(count),
      { target: take(this.#target), past: this.#past.map(take), known: this.#known.map(take) },
      this.#fits.take(this.#fitLength),
    );
  }

  #put(column: Chunked<Float64Array<ArrayBuffer>> | undefined, values: Cells): void {
    for (let at = 0; at < values.length; at++) {
      column?.set(this.#length + at, values[at] ?? Number.NaN);
    }
  }
}
