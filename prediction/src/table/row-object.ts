/** An object with a row's values by name. */
export type RowObject = Readonly<Record<string, unknown>>;

/** Whether a JSON value is an object, whose properties supply a row's values. */
export function isRowObject(row: unknown): row is RowObject {
  return typeof row === 'object' && row !== null && !Array.isArray(row);
}

/** Returns the value of a row under a name; null if it has none, or is not an object. */
export function ownValue(row: unknown, name: string): unknown {
  // Every object inherits something under the names "constructor" and "__proto__".
  return isRowObject(row) && Object.hasOwn(row, name) ? row[name] : null;
}

const NO_VALUES: RowObject = {};

/** A row's values: none, if it is no object. */
export function valuesOf(row: unknown): RowObject {
  return isRowObject(row) ? row : NO_VALUES;
}

/** Reads what many rows say under one name. */
export class Cell {
  readonly name: string;
  /** Whether every object has something under this name that is not its own. */
  readonly #isInherited: boolean;

  constructor(name: string) {
    // As a key, the text is the very one that objects have; looking it up is faster then.
    this.name = Object.keys({ [name]: null })[0] ?? name;
    this.#isInherited = name in NO_VALUES;
  }

  /** Null, if the row says nothing under the name. */
  of(row: RowObject): unknown {
    if (this.#isInherited && !Object.hasOwn(row, this.name)) return null;
    return row[this.name] ?? null;
  }
}
