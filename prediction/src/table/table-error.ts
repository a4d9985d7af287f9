import { cutText } from '../text/cut-text.js';

/** One thing that is wrong with a table, said so that its sender can fix it. */
export interface TableFault {
  message: string;
  /** The column at fault, where it is one column. */
  column?: string;
  /** Line of a CSV text, counted from 1; the header is line 1. */
  line?: number;
  /** Index in a JSON array, counted from 0. */
  row?: number;
}

/** A table that no model can be trained on. Holds one to ten faults. */
export class TableError extends Error {
  override readonly name = 'TableError';
  readonly faults: readonly TableFault[];

  constructor(faults: readonly TableFault[]) {
    const [first, ...others] = faults;
    const more = others.length > 0 ? ` (and ${others.length} more)` : '';
    super(`${first?.message ?? 'The table cannot be used.'}${more}`);
    this.faults = faults;
  }
}

/** Enough to show a pattern; a table with a thousand faults usually has one cause. */
const MAX_FAULTS = 10;

/** Gathers faults, so that a sender learns of several at once. */
export class FaultList {
  readonly #faults: TableFault[] = [];

  /** @throws {TableError} with everything gathered, once there are ten faults. */
  add(fault: TableFault): void {
    this.#faults.push(fault);
    if (this.#faults.length >= MAX_FAULTS) this.throwIfAny();
  }

  /** @throws {TableError} if there is any fault. */
  throwIfAny(): void {
    if (this.#faults.length > 0) throw new TableError(this.#faults);
  }
}

const MAX_QUOTE_LENGTH = 60;

/** A name or a cell as it appears in a message: in double quotes, cut when it is long. */
export function quote(text: string): string {
  return JSON.stringify(cutText(text, MAX_QUOTE_LENGTH));
}
