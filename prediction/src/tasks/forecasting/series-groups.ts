import { groupRows, type SortedRows } from '../../table/series-rows.js';
import type { Steps } from '../../trees/steps.js';
import type { GroupTexts } from './group-texts.js';
import { KeyedSlots, mixIn, NO_HASH } from './keyed-slots.js';

/** Series that are indexed in one step. */
const PER_STEP = 4096;

const NONE = new Uint32Array();

/** The values that identify series: codes of texts, series by series. */
export class SeriesGroups {
  /** By column, the series by code of its texts; made when rows first name it without the others. */
  readonly #indexes: (SortedRows | undefined)[] = [];

  /**
   * @param count of the series.
   * @param codes series by series, a code for each column; with one column, 0, 1, 2 …
   * @throws {Error} if two series have the same values.
   */
  static *create(count: number, columns: readonly GroupTexts[], codes: Uint32Array): Steps<SeriesGroups> {
    const slots = columns.length === 1 ? undefined : new KeyedSlots(count);
    const groups = new SeriesGroups(count, columns, codes, slots);
    const isRepeated = slots === undefined ? columns[0]?.count !== count : yield* groups.#fill(slots);
    if (isRepeated) throw new Error('Two series have the same values of the group columns.');
    return groups;
  }

  private constructor(
    private readonly count: number,
    private readonly columns: readonly GroupTexts[],
    private readonly codes: Uint32Array,
    /** Finds a series by all of its codes. Undefined for one column, where the code is the series. */
    private readonly slots: KeyedSlots | undefined,
  ) {}

  /** The bytes of memory with the indexes of all columns, whether they have been made or not. */
  get bytes(): number {
    let bytes = this.codes.byteLength + (this.slots?.bytes ?? 0);
    for (const column of this.columns) {
      bytes += column.bytes;
      if (this.slots) bytes += 4 * (column.count + this.count);
    }
    return bytes;
  }

  /** Returns the values of a series, by column; '' is a missing one. */
  texts(series: number): string[] {
    const first = series * this.columns.length;
    return this.columns.map((column, index) => column.text(this.codes[first + index] ?? 0));
  }

  /** Whether a column has a value in every series. */
  isNamed(column: number): boolean {
    return !this.hasText(column, '');
  }

  /** Whether a column has a value in any series. */
  hasText(column: number, text: string): boolean {
    return this.columns[column]?.find(text) !== -1;
  }

  /** Returns the series with these values; −1 if there is none. @param texts one for each column. */
  find(texts: readonly string[]): number {
    const codes: number[] = [];
    for (const [column, of] of this.columns.entries()) {
      const code = of.find(texts[column] ?? '');
      if (code < 0) return -1;
      codes.push(code);
    }
    if (this.slots === undefined) return codes[0] ?? -1;
    const isSame = (series: number) => {
      const first = series * codes.length;
      return codes.every((code, column) => this.codes[first + column] === code);
    };
    return this.slots.find(codes.reduce(mixIn, NO_HASH), isSame);
  }

  /**
   * Returns the series of the rarest of some values, ascending, and a check for the others.
   *
   * @param texts by column; undefined where any value will do. At least one is given.
   */
  findCandidates(texts: readonly (string | undefined)[]) {
    const width = this.columns.length;
    const wanted: { readonly column: number; readonly code: number }[] = [];
    let rarest: Uint32Array | undefined;
    for (const [column, text] of texts.entries()) {
      if (text === undefined) continue;
      const code = this.columns[column]?.find(text) ?? -1;
      if (code < 0) return { series: NONE, isMatch: (_: number) => false };
      wanted.push({ column, code });
      const series = this.#listSeries(column, code);
      if (rarest === undefined || series.length < rarest.length) rarest = series;
    }
    return {
      series: rarest ?? NONE,
      isMatch: (series: number) => wanted.every(({ column, code }) => this.codes[series * width + column] === code),
    };
  }

  #listSeries(column: number, code: number): Uint32Array {
    this.#indexes[column] ??= groupRows(this.#listCodes(column), this.columns[column]?.count ?? 0);
    const { rows, ends } = this.#indexes[column];
    return rows.subarray(ends[code - 1] ?? 0, ends[code]);
  }

  /** Returns the codes of a column, by series. */
  #listCodes(column: number): Uint32Array {
    const width = this.columns.length;
    const codes = new Uint32Array(this.count);
    for (let series = 0; series < this.count; series++) codes[series] = this.codes[series * width + column] ?? 0;
    return codes;
  }

  /** Returns whether two series have the same codes. */
  *#fill(slots: KeyedSlots): Steps<boolean> {
    const codes = this.codes;
    const width = this.columns.length;
    for (let series = 0; series < this.count; series++) {
      const first = series * width;
      let hash = NO_HASH;
      for (let at = first; at < first + width; at++) hash = mixIn(hash, codes[at] ?? 0);
      const isSame = (other: number) => {
        for (let column = 0; column < width; column++) {
          if (codes[other * width + column] !== codes[first + column]) return false;
        }
        return true;
      };
      if (slots.find(hash, isSame) >= 0) return true;
      slots.add(hash, series);
      if (series % PER_STEP === 0) yield;
    }
    return false;
  }
}
