import type { Steps } from '../steps.js';
import { ECHO_COLUMNS } from '../table/column-names.js';
import type { ColumnSummary } from '../table/column-profile.js';
import type { RowObject } from '../table/row-object.js';
import { EchoColumn } from './echo-column.js';
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
