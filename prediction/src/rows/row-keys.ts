import { type RowObject, toRowObject } from '../table/cells.js';
import { columnName, ECHO_COLUMNS, INDEX_COLUMN } from '../table/column-names.js';

/** The keys of a row, sorted by the names of a model. */
export interface KeyLayout {
  /** In the order of the row. */
  readonly keys: readonly string[];
  /** The model's name of each key that differs from it by blanks at its ends or a BOM, or is empty for an index. */
  readonly renamed: ReadonlyMap<string, string>;
  /** Keys that are not a name of the model, and those that give a second value under one name. */
  readonly unknown: readonly string[];
  /** True if a key names an input column. */
  readonly hasInput: boolean;
}

/** The names under which a model reads rows. */
export class ModelNames {
  readonly inputs: readonly string[];
  readonly #others: readonly string[];
  /** By name, whether it is an input column's. */
  readonly #isInput: ReadonlyMap<string, boolean>;
  /** The latest keys that are all names of the model: those of most rows. Others are not kept, as they may be long. */
  #usual = NO_KEYS;

  /** @param added further names that are known, beside those of the model */
  constructor(inputs: readonly string[], target: string, added: readonly string[] = []) {
    this.inputs = inputs;
    this.#others = [target, ...ECHO_COLUMNS];
    this.#isInput = new Map([
      ...[...added, ...this.#others].map((name): [string, boolean] => [name, false]),
      ...inputs.map((name): [string, boolean] => [name, true]),
    ]);
  }

  /** Returns these names and another; the very same, if it is one of them. */
  with(name: string): ModelNames {
    if (this.#isInput.has(name)) return this;
    return new ModelNames(this.inputs, this.#others[0] ?? '', [name]);
  }

  findLayout(row: RowObject): KeyLayout {
    if (hasKeys(row, this.#usual.keys)) return this.#usual;
    const keys: string[] = [];
    const others: string[] = [];
    let hasInput = false;
    for (const key in row) {
      keys.push(key);
      const isInput = this.#isInput.get(key);
      if (isInput === undefined) others.push(key);
      else if (isInput) hasInput = true;
    }
    if (others.length > 0) return { keys, ...this.#sort(row, others, hasInput, keys[0]) };
    this.#usual = { keys, renamed: NONE_RENAMED, unknown: others, hasInput };
    return this.#usual;
  }

  /** Sorts keys that are not names of the model into those that mean one and those that are unknown. */
  #sort(row: RowObject, others: readonly string[], hasInput: boolean, first?: string) {
    const renamed = new Map<string, string>();
    const taken = new Set<string>();
    const unknown: string[] = [];
    let names = hasInput;
    for (const key of others) {
      // A first key without a name is that of an index, as in tables.
      const name = columnName(key) || (key === first ? INDEX_COLUMN : '');
      const isInput = this.#isInput.get(name);
      // The key that is the name itself goes before others that only look like it.
      if (isInput === undefined || taken.has(name) || Object.hasOwn(row, name)) unknown.push(key);
      else {
        renamed.set(key, name);
        taken.add(name);
        if (isInput) names = true;
      }
    }
    return { renamed, unknown, hasInput: names };
  }
}

const NONE_RENAMED: KeyLayout['renamed'] = new Map();
/** Keys that are read at one go: some milliseconds. */
const MAX_KEYS = 64 * 1024;

const NO_KEYS: KeyLayout = { keys: [], renamed: NONE_RENAMED, unknown: [], hasInput: false };

/** Reads the keys of rows. Most rows have those of the row before, which costs least. */
export class ColumnMapper {
  #last = NO_KEYS;

  constructor(private readonly names: ModelNames) {}

  /** The same object as for the row before, if that has the same keys in the same order. */
  findLayout(row: RowObject): KeyLayout {
    if (!hasKeys(row, this.#last.keys)) this.#last = this.names.findLayout(row);
    return this.#last;
  }

  /**
   * The values of rows under the names of the model: `count` of them from `start` on, or fewer, if they have very many
   * keys, as nobody else is served while they are read.
   */
  read(rows: readonly unknown[], start: number, count: number): RowObject[] {
    const read: RowObject[] = [];
    let keyCount = 0;
    while (read.length < count && start + read.length < rows.length && keyCount < MAX_KEYS) {
      const row = toRowObject(rows[start + read.length]);
      const layout = this.findLayout(row);
      read.push(underModelNames(row, layout));
      keyCount += layout.keys.length;
    }
    return read;
  }
}

/** Returns the row itself, unless a key differs from its name. */
export function underModelNames(row: RowObject, { keys, renamed }: KeyLayout): RowObject {
  if (renamed.size === 0) return row;
  // Without a prototype, `__proto__` is a key as any other.
  const values: Record<string, unknown> = Object.create(null);
  for (const key of keys) values[renamed.get(key) ?? key] = row[key];
  return values;
}

function hasKeys(row: RowObject, keys: readonly string[]): boolean {
  let index = 0;
  for (const key in row) if (key !== keys[index++]) return false;
  return index === keys.length;
}
