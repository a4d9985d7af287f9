import { parseJson } from '../../api/body/parse-body.js';
import type { DeferredBody } from '../../api/body/read-body.js';
import { escapeToken } from '../../contract/json-pointer.js';
import { asRecord } from '../../contract/json-record.js';
import { JSON_TYPE } from '../../edge/request.js';
import { type FieldError, invalidRequest } from '../../problems/problem.js';
import type { ModelSource } from '../model-rows.js';

/** The longest JSON object that names a query, in bytes. An array of rows has no such bound. */
const MAX_OBJECT = 64 * 1024;

/** The longest name of a database, and the longest query, in characters. */
const MAX_LENGTH = { database: 100, query: 16 * 1024 } as const;

/** The bytes of a table that was sent, or the query that returns one. */
type SentTable =
  | { readonly bytes: AsyncIterable<Uint8Array>; readonly source?: undefined }
  | { readonly bytes?: undefined; readonly source: ModelSource };

const TABLE_FORM = 'must be an array of rows, or an object {"source": {"database": …, "query": …}}';

const OPENING_BRACE = 0x7b;

/** Space, tab, line feed and carriage return, which may stand before JSON. */
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/**
 * Tells a body of a training that names a query from one that is a table, by its first byte.
 * @throws {ProblemError} if the body is an object that names no query
 * @throws the error of the body
 */
export async function readSentTable({ mediaType, bytes }: DeferredBody): Promise<SentTable> {
  if (mediaType !== JSON_TYPE) return { bytes };
  const chunks = bytes[Symbol.asyncIterator]();
  const begin: Uint8Array[] = [];
  let first: number | undefined;
  for (let length = 0; first === undefined && length <= MAX_OBJECT; ) {
    const next = await chunks.next();
    if (next.done) break;
    begin.push(next.value);
    length += next.value.length;
    first = next.value.find((byte) => !BLANKS.has(byte));
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    yield* begin;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  }
  if (first !== OPENING_BRACE) return { bytes: all() };
  return { source: parseSource(await readObject(all())) };
}

async function readObject(bytes: AsyncIterable<Uint8Array>): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_OBJECT) throw invalidBody(`${TABLE_FORM} of at most ${MAX_OBJECT} bytes`);
  }
  return parseJson(Buffer.concat(chunks));
}

function invalidBody(message: string) {
  return invalidRequest([{ pointer: '/body', message }]);
}

/** @throws {ProblemError} with a pointer to each fault */
function parseSource(body: unknown): ModelSource {
  const sent = asRecord(body);
  if (!Object.hasOwn(sent, 'source')) throw invalidBody(TABLE_FORM);
  const { source } = sent;
  const { database, query } = asRecord(source);
  const errors = listUnknown(sent, ['source'], '/body');
  if (source === null || typeof source !== 'object' || Array.isArray(source)) {
    const message = 'must be an object with a database and a query';
    errors.push({ pointer: '/body/source', message });
  } else {
    errors.push(...listUnknown(source, ['database', 'query'], '/body/source'));
    const fields = [['database', database] as const, ['query', query] as const];
    for (const [name, value] of fields) {
      const message = findFault(name, value);
      if (message !== undefined) errors.push({ pointer: `/body/source/${name}`, message });
    }
  }
  if (errors.length > 0 || typeof database !== 'string' || typeof query !== 'string') {
    throw invalidRequest(errors);
  }
  return { database, query };
}

function findFault(name: keyof typeof MAX_LENGTH, value: unknown): string | undefined {
  if (value === undefined) return 'is missing; it must be a text';
  if (typeof value !== 'string') return 'must be a text';
  const max = MAX_LENGTH[name];
  if (value === '' || value.length > max) return `must have 1 to ${max} characters`;
  if (name === 'database' && !/^\w[\w.-]*$/.test(value)) {
    return 'must be letters, digits and _ . -, and begin with none of . -';
  }
  return value.includes('\0') ? 'must not contain the character U+0000' : undefined;
}

function listUnknown(sent: object, known: readonly string[], at: string): FieldError[] {
  return Object.keys(sent)
    .filter((name) => !known.includes(name))
    .map((name) => ({
      pointer: `${at}/${escapeToken(name)}`,
      message: `is not known here; there is ${known.join(' and ')}`,
    }));
}
