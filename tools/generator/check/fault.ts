/** Something of the contract that stops whoever works from it. */
export interface Fault {
  /** A sentence: what is wrong, and how to fix it. */
  readonly message: string;
  /** The place in the file, counted from 1 as editors do. */
  readonly line: number;
  readonly column: number;
}

/** A fault at a part of the document. */
export interface FaultyPart {
  /** A JSON pointer (RFC 6901); if nothing stands there, what it would stand in is at fault. */
  readonly pointer: string;
  readonly message: string;
  /** The remedy, where the message does not say it. */
  readonly remedy?: string;
}

/** The subject of a fault. */
export type Rule =
  | 'reference'
  | 'schema'
  | 'shape'
  | 'operation'
  | 'rule-message'
  | 'sunset'
  | 'example';

/** A fault, and the rule that finds it. */
export interface RuledFault extends FaultyPart {
  readonly rule: Rule;
}

/** A fault as one line, in the form that editors and terminals lead to the place from. */
export function lineOf({ message, line, column }: Fault): string {
  return `openapi.yaml:${line}:${column}: ${message}`;
}
