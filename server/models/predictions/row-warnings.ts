import {
  type AnyPredictor,
  columnName,
  FormatError,
  InvalidRowsError,
  JsonShapeError,
  MalformedJsonError,
  type RowWarning,
  type RowWarnings,
  type SchemaCheck,
  type UnknownName,
} from 'roster-prediction/predicting';
import { escapeToken } from '../../../contract/pointer.js';
import type { components } from '../../../generated/openapi.js';
import { pausing } from '../../common/pausing.js';
import { invalidRequest, MAX_ERRORS, malformedBody, type ProblemError, problem } from '../../problems/problem.js';

type WarningsLine = components['schemas']['WarningsLine'];

/** Rows that are checked at one go. Each may have thousands of names. */
const MAX_ROWS = 16;

/** The header or trailer of warnings; none if there is nothing to report. */
export type WarningFields = { 'Row-Warnings'?: string };

/** The parameters of a request that a check of its rows depends on. */
interface CheckOptions {
  readonly unknown?: 'ignore' | 'refuse';
  readonly id?: string;
  readonly backtest?: number;
}

/**
 * Checks all rows of a request; others are served in between, if there are many.
 * @param at where the rows are in the request, as a JSON pointer
 * @param options the treatment of unknown names, and the column of ids, whose name is known
 * @throws {ProblemError} if the rows have unknown names, and these are to be refused
 */
export function checkRows(
  predictor: AnyPredictor,
  rows: readonly unknown[],
  at: string,
  { unknown = 'ignore', id, backtest }: CheckOptions,
): WarningFields | Promise<WarningFields> {
  const check = predictor.check({ id: id === undefined ? undefined : columnName(id), backtest });
  const finish = () => {
    if (unknown === 'refuse') {
      const names = check.unknownNames(MAX_ERRORS + 1);
      if (names.length > 0) throw unknownNames(names, (row) => `${at}/${row}`);
    }
    return warningFields(check.warnings(MAX_MEMBERS));
  };
  check.add(rows, 0, Math.min(MAX_ROWS, rows.length));
  return rows.length <= MAX_ROWS ? finish() : checkRest(check, rows).then(finish);
}

async function checkRest(check: SchemaCheck, rows: readonly unknown[]): Promise<void> {
  const pause = pausing();
  for (let start = MAX_ROWS; start < rows.length; start += MAX_ROWS) {
    await pause();
    check.add(rows, start, Math.min(start + MAX_ROWS, rows.length));
  }
}

export function warningFields(warnings: RowWarnings): WarningFields {
  return warnings.warnings.length === 0 ? {} : { 'Row-Warnings': writeField(warnings) };
}

/** Returns the last line of an NDJSON answer; undefined if there is nothing to report. */
export function warningsLine({ warnings, more }: RowWarnings): Uint8Array | undefined {
  if (warnings.length === 0) return undefined;
  const line: WarningsLine = { warnings: [...warnings], more };
  return Buffer.from(`${JSON.stringify(line)}\n`);
}

/**
 * Returns the problem of rows with unknown names.
 * @param pointerTo the JSON pointer of a row, by its index
 * @param line the line with the row, if only this line is refused
 */
export function unknownNames(
  names: readonly UnknownName[],
  pointerTo: (row: number) => string,
  line?: number,
): ProblemError {
  const errors = names.slice(0, MAX_ERRORS).map(({ name, firstRow, rows, nearest }) => {
    const row = pointerTo(firstRow);
    // A name that is cut would point at nothing.
    const pointer = name.endsWith('…') ? row : `${row}/${escapeToken(name)}`;
    const hint = nearest === null ? 'leave it out' : `the nearest is ${JSON.stringify(nearest)}`;
    const message = `is not a column of the model; ${hint}`;
    return { pointer, message, name, nearest, rows };
  });
  const [rowsHave, predicted] =
    line === undefined ? ['The rows have', 'nothing was predicted'] : ['The line has', 'it was not answered'];
  const detail = `${rowsHave} ${countNames(names)} that the model does not know; ${predicted}.`;
  return problem('/problems/unknown-names', detail, { errors, ...(line !== undefined && { line }) });
}

/** Rows of a JSON body, and their place in the request, as a JSON pointer. */
export interface FoundRows {
  readonly rows: readonly unknown[];
  readonly at: string;
}

/** Returns the rows of a JSON body. */
export function findRows(body: unknown): FoundRows {
  if (Array.isArray(body)) return { rows: body, at: '/body' };
  const data = typeof body === 'object' && body !== null && 'data' in body ? body.data : undefined;
  return { rows: Array.isArray(data) ? data : [], at: '/body/data' };
}

/**
 * Returns the problem of rows that do not fit the model, or of a parameter.
 * @param at where the rows are in the request, as a JSON pointer
 */
export function invalidRows({ faults }: InvalidRowsError, at: string): ProblemError {
  const errors = faults.map(({ row, name, parameter, message }) => {
    if (parameter !== undefined) return { pointer: `/query/${parameter}`, message };
    const place = row === undefined ? at : `${at}/${row}`;
    return { pointer: name === undefined ? place : `${place}/${escapeToken(name)}`, message };
  });
  return invalidRequest(errors);
}

/**
 * Returns the problem of a body whose rows cannot be read; another error as it is.
 * @param at where the rows are in the request, as a JSON pointer
 */
export function bodyProblem(error: unknown, at = '/body'): unknown {
  // Its message has the remedy.
  if (error instanceof FormatError) return problem('/problems/malformed-body', error.message);
  if (error instanceof MalformedJsonError) {
    return malformedBody(`The body is not valid JSON: ${error.message}`);
  }
  if (error instanceof InvalidRowsError) return invalidRows(error, at);
  if (!(error instanceof JsonShapeError)) return error;
  return invalidRequest([{ pointer: at, message: error.message }]);
}

function countNames({ length }: readonly unknown[]): string {
  if (length > MAX_ERRORS) return `more than ${MAX_ERRORS} names`;
  return length === 1 ? '1 name' : `${length} names`;
}

const MAX_MEMBERS = 20;

/** Bytes of the header, beside its last member. Proxies take 4 KiB of headers or more. */
const MAX_BYTES = 4000;

/** Writes warnings as a list of RFC 9651. Warnings beyond the room are counted. */
function writeField({ warnings, more }: RowWarnings): string {
  const members: string[] = [];
  let left = more + Math.max(warnings.length - MAX_MEMBERS, 0);
  let room = MAX_BYTES;
  for (const warning of warnings.slice(0, MAX_MEMBERS)) {
    const member = writeMember(warning);
    if (member.length + 2 > room) left++;
    else {
      members.push(member);
      room -= member.length + 2;
    }
  }
  if (left > 0) members.push(`more;count=${left}`);
  return members.join(', ');
}

function writeMember({ kind, name, rows, nearest }: RowWarning): string {
  const named = name === null ? '' : `;name=${writeString(name)}`;
  return `${kind};rows=${rows}${named}${nearest === null ? '' : `;nearest=${writeString(nearest)}`}`;
}

/** A string of RFC 9651, section 3.3.3, or a display string, section 3.3.8, where ASCII is not enough. */
function writeString(text: string): string {
  if (/^[ -~]*$/.test(text)) return `"${text.replace(/[\\"]/g, '\\$&')}"`;
  const bytes = [...Buffer.from(text)].map((byte) =>
    byte < 0x20 || byte > 0x7e || byte === 0x25 || byte === 0x22
      ? `%${byte.toString(16).padStart(2, '0')}`
      : String.fromCharCode(byte),
  );
  return `%"${bytes.join('')}"`;
}
