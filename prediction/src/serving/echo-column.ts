import { Cell, type RowObject } from '../table/row-object.js';
import { type JsonBuffer, type Literal, literal } from './json-buffer.js';

const NULL = literal('null');
const TRUE = literal('true');
const FALSE = literal('false');

/** A column that repeats what rows sent under its name. */
export class EchoColumn {
  readonly #key: Literal;
  readonly #cell: Cell;
  /** The JSON of the texts that rows most often send; null, until a row sends it. */
  readonly #known: Map<string, Literal | null>;

  /**
   * @param key what comes before the value, such as `,"name":`.
   * @param texts those that rows most often send.
   */
  constructor(key: string, name: string, texts: readonly string[]) {
    this.#key = literal(key);
    this.#cell = new Cell(name);
    this.#known = new Map(texts.map((text) => [text, null]));
  }

  isNull(row: RowObject): boolean {
    return this.#cell.of(row) === null;
  }

  write(out: JsonBuffer, row: RowObject): void {
    const value = this.#cell.of(row);
    out.literal(this.#key);
    const known = typeof value === 'string' ? this.#known.get(value) : undefined;
    if (known) out.literal(known);
    else if (known === null) out.literal(this.#know(String(value)));
    else writeValue(out, value);
  }

  #know(text: string): Literal {
    const known = literal(JSON.stringify(text));
    this.#known.set(text, known);
    return known;
  }
}

/** Writes a value that came from JSON, as JSON.stringify does. */
export function writeValue(out: JsonBuffer, value: unknown): void {
  if (typeof value === 'number') out.number(value);
  else if (typeof value === 'string') out.string(value);
  else if (value === null) out.literal(NULL);
  else if (typeof value === 'boolean') out.literal(value ? TRUE : FALSE);
  else out.json(JSON.stringify(value) ?? 'null');
}
