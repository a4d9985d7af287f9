import type { ModelBase } from '../model/model.js';
import { type RowObject, toRowObject } from '../table/cells.js';
import { cutText } from '../text/cut-text.js';
import { MISSING_BIN } from '../trees/binning/bin-mapper.js';
import type { Steps } from '../trees/steps.js';
import { NearestName } from './nearest-name.js';
import { type OutlierCheck, outlierChecks } from './outlier-checks.js';
import { ColumnMapper, type KeyLayout, ModelNames, underModelNames } from './row-keys.js';
import type { RowWarning, RowWarnings, UnknownName } from './row-warnings.js';

/** Rows may have any number of unknown names: so many are distinguished. */
const MAX_UNKNOWN = 1000;

const MAX_NAME_LENGTH = 100;

const NONE: RowWarnings = { warnings: [], more: 0 };

/** The rows of a request that a check is for. */
export interface CheckedRequest {
  /** A column that rows may have beside those of the model. */
  readonly id?: string | undefined;
  /** For a forecaster, the number of steps before the end of each series where forecasts begin. */
  readonly backtest?: number | undefined;
}

/** Counts the rows of moments to forecast, by what they lack. */
export interface FutureRows {
  add(row: RowObject): void;
  missing(): readonly { readonly name: string; readonly rows: number }[];
}

/** Checks the rows of a model. Each request has its own check. */
export class SchemaChecks {
  #extended: { readonly name: string; readonly checks: SchemaChecks } | undefined;

  /** @param knowsAll whether the categories of a column, by its index, are all that the model knows. */
  static *create(
    model: Pick<ModelBase, 'columns' | 'target'>,
    knowsAll: (column: number) => boolean,
  ): Steps<SchemaChecks> {
    const inputs = model.columns.map(({ name }) => name);
    const finders: OutlierCheck[] = [];
    for (const [index, column] of model.columns.entries()) {
      for (const finder of outlierChecks(column, knowsAll(index))) {
        finders.push(finder);
        yield;
      }
    }
    return new SchemaChecks(new ModelNames(inputs, model.target), finders);
  }

  private constructor(
    readonly names: ModelNames,
    /** The finders of suspect values. */
    readonly finders: readonly OutlierCheck[],
  ) {}

  /** Returns the same checks for rows that may have a further column. It is kept for the next request. */
  with(name: string | undefined): SchemaChecks {
    if (name === undefined) return this;
    const names = this.names.with(name);
    if (names === this.names) return this;
    if (this.#extended?.name !== name) {
      this.#extended = { name, checks: new SchemaChecks(names, this.finders) };
    }
    return this.#extended.checks;
  }

  /**
   * @param future counts the moments of forecasts.
   * @param readsFuture whether the check adds its rows to them; otherwise another reader does.
   */
  begin(future?: FutureRows, readsFuture = false): SchemaCheck {
    return new SchemaCheck(this.names, this.finders, future, readsFuture);
  }
}

/**
 * Counts what a model can make nothing of in rows, without predicting them. All rows of a request go through one
 * check, in any number of parts.
 */
export class SchemaCheck {
  readonly #names: ModelNames;
  readonly #keys: ColumnMapper;
  /** For each finder that found any, how many rows have a suspect value. */
  readonly #suspectRows: number[] = [];
  readonly #unknown = new Map<string, { readonly firstRow: number; rows: number }>();
  #rows = 0;
  #withoutColumn = 0;
  /** The layout of the latest rows, and how many of them are not counted yet. */
  #layout: KeyLayout | undefined;
  #repeats = 0;

  /** @param finders of suspect values, in the order of `addSuspects`. */
  constructor(
    names: ModelNames,
    readonly finders: readonly OutlierCheck[],
    readonly future?: FutureRows,
    readonly readsFuture = false,
  ) {
    this.#names = names;
    this.#keys = new ColumnMapper(names);
  }

  /** Looks at the rows from `start` up to, but not including, `end`. */
  add(rows: readonly unknown[], start = 0, end = rows.length): void {
    for (let index = start; index < end; index++) {
      const sent = toRowObject(rows[index]);
      const layout = this.#keys.findLayout(sent);
      if (layout !== this.#layout) this.#count(layout);
      this.#repeats++;
      this.#rows++;
      if (!layout.hasInput) continue;
      const row = underModelNames(sent, layout);
      this.#look(row);
      if (this.readsFuture) this.future?.add(row);
    }
  }

  /** Counts rows that are looked at elsewhere, so that later rows have their place. */
  skip(rows: number): void {
    this.#count(undefined);
    this.#rows += rows;
  }

  /** Counts rows that were found elsewhere to have a value that the finder at an index finds suspect. */
  addSuspects(finder: number, rows: number): void {
    if (rows > 0) this.#suspectRows[finder] = (this.#suspectRows[finder] ?? 0) + rows;
  }

  /** Counts rows that were found elsewhere to name no input column. */
  addWithoutColumn(rows: number): void {
    this.#withoutColumn += rows;
  }

  /** Counts further rows with an unknown name that an earlier row had. */
  addUnknown(name: string, rows: number): void {
    const known = this.#unknown.get(keptName(name));
    if (known) known.rows += rows;
  }

  /**
   * Counts rows that all have the keys of `row`, whose values are looked at by column.
   *
   * @param suspectsOf returns in how many of the rows a column's value is suspect.
   */
  addColumns(row: RowObject, rows: number, suspectsOf: (finder: OutlierCheck) => number): void {
    const layout = this.#keys.findLayout(row);
    if (layout !== this.#layout) this.#count(layout);
    this.#repeats += rows;
    this.#rows += rows;
    if (!layout.hasInput) return;
    for (const [index, finder] of this.finders.entries()) {
      this.addSuspects(index, suspectsOf(finder));
    }
  }

  /** Counts a row whose values are looked at elsewhere. */
  addNames(row: unknown): void {
    this.addColumns(toRowObject(row), 1, () => 0);
  }

  /** The unknown names of one row, which is not counted. */
  unknownIn(row: unknown): readonly string[] {
    return this.#keys.findLayout(toRowObject(row)).unknown;
  }

  /** @param most how many warnings are listed at most. */
  warnings(most: number): RowWarnings {
    this.#count(undefined);
    const missing = this.future?.missing() ?? [];
    if (this.#withoutColumn + this.#unknown.size + this.#suspectRows.length + missing.length === 0) return NONE;
    const all: Omit<RowWarning, 'nearest'>[] = [];
    if (this.#withoutColumn > 0) {
      all.push({ kind: 'no-column', name: null, rows: this.#withoutColumn });
    }
    for (const [name, { rows }] of this.#unknownByRows()) {
      all.push({ kind: 'unknown-name', name, rows });
    }
    for (const kind of ['unreadable', 'out-of-range', 'new-category'] as const) {
      all.push(...this.#suspects(kind));
    }
    all.push(...missing.map(({ name, rows }) => ({ kind: 'missing-known' as const, name: keptName(name), rows })));
    // Made for the first unknown name: most rows have none.
    let names: NearestName | undefined;
    const findNearest = (name: string) => {
      names ??= new NearestName(this.#names.inputs);
      return names.of(name);
    };
    const warnings = all
      .slice(0, most)
      .map(
        (warning): RowWarning => ({
          ...warning,
          nearest: warning.kind === 'unknown-name' ? findNearest(warning.name ?? '') : null,
        }),
      );
    return { warnings, more: all.length - warnings.length };
  }

  /**
   * The unknown names, those of most rows first.
   *
   * @param most how many are given at most.
   */
  unknownNames(most: number): UnknownName[] {
    this.#count(undefined);
    const nearest = new NearestName(this.#names.inputs);
    return this.#unknownByRows()
      .slice(0, most)
      .map(([name, counted]) => ({ name, ...counted, nearest: nearest.of(name) }));
  }

  #look(row: RowObject): void {
    const finders = this.finders;
    const suspectRows = this.#suspectRows;
    // Without an iterator: this is on the way of every row.
    for (let index = 0; index < finders.length; index++) {
      const finder = finders[index];
      if (finder?.isSuspect(finder.cell.of(row))) suspectRows[index] = (suspectRows[index] ?? 0) + 1;
    }
  }

  /** Counts the rows since the last change of layout; those of `next` follow. */
  #count(next: KeyLayout | undefined): void {
    const layout = this.#layout;
    const rows = this.#repeats;
    this.#layout = next;
    this.#repeats = 0;
    if (layout === undefined || rows === 0) return;
    if (!layout.hasInput) this.#withoutColumn += rows;
    if (layout.unknown.length === 0) return;
    for (const name of new Set(layout.unknown.map(keptName))) {
      const known = this.#unknown.get(name);
      if (known) known.rows += rows;
      else if (this.#unknown.size < MAX_UNKNOWN) {
        this.#unknown.set(name, { firstRow: this.#rows - rows, rows });
      }
    }
  }

  #unknownByRows() {
    return [...this.#unknown].sort(([, one], [, other]) => other.rows - one.rows);
  }

  #suspects(kind: OutlierCheck['kind']) {
    const found: { kind: typeof kind; name: string; rows: number }[] = [];
    for (const [index, finder] of this.finders.entries()) {
      const rows = this.#suspectRows[index] ?? 0;
      if (finder.kind === kind && rows > 0) found.push({ kind, name: finder.cell.name, rows });
    }
    return found.sort((one, other) => other.rows - one.rows);
  }
}

/** Returns a name as it is kept. A cut name is copied, as a slice would hold the whole in memory. */
export function keptName(name: string): string {
  if (name.length <= MAX_NAME_LENGTH) return name;
  return Buffer.from(cutText(name, MAX_NAME_LENGTH)).toString();
}

/**
 * Returns whether the categories of a column are all that a model of rows knows. Where others are familiar, one that
 * is not listed may well have been in the table.
 */
export function knowsCategories({
  features,
  partial_rows,
}: Pick<ModelBase, 'features' | 'partial_rows'>): (column: number) => boolean {
  return (column) => {
    const feature = features.findIndex((one) => one.column === column);
    const unfamiliar = partial_rows?.unfamiliar_bins[feature] ?? [];
    return unfamiliar.some((bin) => bin !== MISSING_BIN);
  };
}
