import type { Steps } from '../steps.js';
import { Cell, type RowObject } from '../table/cells.js';
import { ECHO_COLUMNS } from '../table/column-names.js';
import type { ColumnSummary } from '../table/column-profile.js';
import { type JsonBuffer, type Literal, literal } from './json-buffer.js';

/** The columns of an answer row around its prediction: the input columns before it, and the closing columns. */
export class RowFrame {
  readonly #inputs: readonly EchoColumn[];
  readonly #closing: readonly EchoColumn[];
  readonly #closingNulls = literal(`${ECHO_COLUMNS.map((name) => `,"${name}":null`).join('')}}`);

  static *create(columns: readonly ColumnSummary[]): Steps<RowFrame> {
    const inputs: EchoColumn[] = [];
    for (const { name, categories } of columns) {
      const key = `${inputs.length === 0 ? '{' : ','}${JSON.stringify(name)}:`;
      inputs.push(new EchoColumn(key, name, categories ?? []));
      yield;
    }
    return new RowFrame(inputs);
  }

  private constructor(inputs: readonly EchoColumn[]) {
    this.#inputs = inputs;
    this.#closing = ECHO_COLUMNS.map((name) => new EchoColumn(`,"${name}":`, name, []));
  }

  open(out: JsonBuffer, row: RowObject): void {
    for (const column of this.#inputs) column.write(out, row);
  }

  close(out: JsonBuffer, row: RowObject): void {
    if (this.#closing.every((column) => column.isNull(row))) {
      out.literal(this.#closingNulls);
      return;
    }
    for (const column of this.#closing) column.write(out, row);
    out.literal(CLOSE);
  }
}

const CLOSE = literal('}');

/** A text that differs by whether a row is an anomaly. */
export type ByAnomaly = Readonly<Record<'none' | 'inside' | 'outside', Literal>>;

export function byAnomaly(text: (is: string) => string): ByAnomaly {
  return {
    none: literal(text('null')),
    inside: literal(text('false')),
    outside: literal(text('true')),
  };
}

export function ofAnomaly(literals: ByAnomaly, anomaly: boolean | null): Literal {
  if (anomaly === null) return literals.none;
  return anomaly ? literals.outside : literals.inside;
}

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
