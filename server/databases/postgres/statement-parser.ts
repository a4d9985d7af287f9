import { FairGate } from '../../common/fair-gate.js';
import { type PoolOptions, WorkerPool } from '../../work/worker-pool.js';
import { JobFailedError } from '../../work/worker-process.js';
import { explainEnd, GATE_ERRORS, queryError } from '../query-error.js';
import type { ParsedSelect } from './statement.js';

/** The longest time of a parse, in milliseconds: the start of a process, and 100 ms of work. */
const MAX_TIME_MS = 10_000;

/** The most processes. A statement takes some milliseconds, so that few are enough; each has 110 MiB. */
const MAX_PROCESSES = 2;

const MAX_WAITING = 512;

/**
 * Usual statements need some 110 MiB. WebAssembly returns none, so the pool keeps no process with more
 * than 256 MiB: any statement has as much again.
 */
const OPTIONS: Omit<PoolOptions, 'script'> = {
  maxHeapMiB: 64,
  maxMemoryBytes: 512 * 1024 * 1024,
  maxSilenceMs: MAX_TIME_MS,
  maxIdle: MAX_PROCESSES,
  idleTimeoutMs: 30_000,
};

/**
 * Parses statements in processes that can be thrown away. A statement that overflows the stack of WebAssembly leaves
 * the parser's memory broken for all that come after it. Owners take turns, as with queries.
 */
export class StatementParser {
  readonly #pool: WorkerPool<string, ParsedSelect>;
  readonly #gate = new FairGate({
    slots: MAX_PROCESSES,
    maxWaiting: MAX_WAITING,
    timeoutMs: MAX_TIME_MS,
    ...GATE_ERRORS,
  });

  constructor(script: URL) {
    this.#pool = new WorkerPool({ ...OPTIONS, script });
  }

  /**
   * @throws {ProblemError} if the statement is too large, malformed, not one SELECT, or has a part that is not allowed
   * @throws the reason of `signal`
   */
  async parse(owner: string, sql: string, signal: AbortSignal): Promise<ParsedSelect> {
    limitTerms(sql);
    try {
      return await this.#gate.runInTime(owner, signal, (running) => this.#pool.run({ details: sql, signal: running }));
    } catch (error) {
      if (error instanceof JobFailedError) {
        const message = 'The statement is nested too deeply; write a simpler one.';
        throw queryError(message, { cause: error });
      }
      throw explainEnd(error, 'The statement could not be parsed; try again, or write a simpler one.');
    }
  }

  async stop(): Promise<void> {
    await Promise.all([this.#gate.stop(), this.#pool.close()]);
  }
}

/**
 * The most words, values and operators of a statement. Each may nest the tree of the parser one
 * level deeper; 7,000 levels overflow the stack of its WebAssembly on some versions of Node.js.
 */
export const MAX_TERMS = 5_000;

export const MAX_NESTING = 200;

const LETTER = 'A-Za-z_\\u0080-\\uffff';

/**
 * A token, as PostgreSQL's scanner (`scan.l`) has them; a text or a name may lack its end. The
 * characters of an operator are tokens by themselves, so that none is overlooked.
 */
const TOKEN = new RegExp(
  [
    '(?<blank>[ \\t\\n\\r\\f\\v]+|--[^\\n\\r]*)',
    '(?<comment>/\\*)',
    `(?<dollar>\\$(?:[${LETTER}][${LETTER}0-9]*)?\\$)`,
    `(?<value>[eE]'(?:[^'\\\\]|\\\\[^]|'')*'?|'(?:[^']|'')*'?|"(?:[^"]|"")*"?)`,
    `(?<word>[0-9][${LETTER}0-9]*|[${LETTER}][${LETTER}0-9$]*)`,
    '(?<open>[([])',
    '(?<close>[)\\]])',
    // The lists and names that these make are flat.
    '(?<flat>[,.])',
    '(?<sign>[^])',
  ].join('|'),
  'y',
);

/**
 * Refuses a statement that may nest the parser too deeply, in time that is linear in its length.
 * @throws {ProblemError}
 */
export function limitTerms(sql: string): void {
  let terms = 0;
  let nesting = 0;
  for (let at = 0; at < sql.length; ) {
    TOKEN.lastIndex = at;
    const { 0: token = '', groups: is = {} } = TOKEN.exec(sql) ?? {};
    at += Math.max(1, token.length);
    if (is['comment'] !== undefined) at = endOfComment(sql, at);
    else if (is['dollar'] !== undefined) at = endOfDollarQuote(sql, at, token);
    if (is['open'] !== undefined) nesting += 1;
    else if (is['close'] !== undefined) nesting -= 1;
    else if ((is['blank'] ?? is['comment'] ?? is['flat']) === undefined) terms += 1;
    if (terms > MAX_TERMS) {
      throw queryError(`The statement has more than ${MAX_TERMS} words, values and operators; write a shorter one.`);
    }
    if (nesting > MAX_NESTING) {
      throw queryError(`The statement nests parentheses deeper than ${MAX_NESTING} levels; write a flatter one.`);
    }
  }
}

/**
 * Returns the offset after a comment, which may contain others.
 * @throws {ProblemError} if they nest too deeply: the parser's time and memory grow with the square of their number
 */
function endOfComment(sql: string, start: number): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = start;
  for (let depth = 1; depth > 0; ) {
    const mark = marks.exec(sql);
    if (mark === null) return sql.length;
    depth += mark[0] === '/*' ? 1 : -1;
    if (depth > MAX_NESTING) {
      throw queryError(`The statement nests comments deeper than ${MAX_NESTING} levels; write a flatter one.`);
    }
  }
  return marks.lastIndex;
}

function endOfDollarQuote(sql: string, start: number, quote: string): number {
  const end = sql.indexOf(quote, start);
  return end < 0 ? sql.length : end + quote.length;
}
