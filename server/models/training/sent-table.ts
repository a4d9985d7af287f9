import type { DeferredBody } from '../../api/body/read-body.js';
import { MalformedJsonError, parseWhole } from '../../common/json-text.js';
import { escapeToken } from '../../contract/json-pointer.js';
import { asRecord } from '../../contract/json-record.js';
import { JSON_TYPE } from '../../edge/request.js';
import { type FieldError, invalidRequest, malformedBody } from '../../problems/problem.js';
import type { ModelSource } from '../../store/index.js';

/** The longest JSON object that names a query, in bytes. An array of rows has no such bound. */
const MAX_OBJECT = 64 * 1024;

/** The longest name of a database, and the longest query, in characters. */
const MAX_LENGTH = { database: 100, query: 16 * 1024 } as const;

/** A table that was sent, or the query that returns one. */
export type SentTable =
  | { readonly bytes: AsyncIterable<Uint8Array>; readonly source?: undefined }
  | { readonly source: ModelSource };

/**
 * Tells a body of a training that names a query from one that is a table, by its first byte.
 * @throws {ProblemError} if the body is an object that names no query
 * @throws the error of the body
 */
export async function sentTable({ mediaType, bytes }: DeferredBody): Promise<SentTable> {
  if (mediaType !== JSON_TYPE) return { bytes };
  const chunks = bytes[Symbol.asyncIterator]();
  const begin = await firstBytes(chunks);
  if (begin.first !== OPENING_BRACE) return { bytes: continued(begin.chunks, chunks) };
  return { source: sourceIn(jsonOf(await wholeObject(begin.chunks, chunks))) };
}

const OPENING_BRACE = 0x7b;

/** The bytes of blanks, which may stand before JSON. */
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

type Chunks = AsyncIterator<Uint8Array>;

/** Reads chunks until one has a byte that is not a blank, or there are many blanks. */
async function firstBytes(chunks: Chunks): Promise<{ chunks: Uint8Array[]; first?: number }> {
  const read: Uint8Array[] = [];
  let length = 0;
  while (length <= MAX_OBJECT) {
    const next = await chunks.next();
    if (next.done) return { chunks: read };
    read.push(next.value);
    length += next.value.length;
    const first = next.value.find((byte) => !BLANKS.has(byte));
    if (first !== undefined) return { chunks: read, first };
  }
  return { chunks: read };
}

async function* continued(read: readonly Uint8Array[], rest: Chunks): AsyncGenerator<Uint8Array> {
  yield* read;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

async function wholeObject(read: readonly Uint8Array[], rest: Chunks): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of continued(read, rest)) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_OBJECT) {
      const message = `${TABLE_FORM} of at most ${MAX_OBJECT} bytes`;
      throw invalidRequest([{ pointer: '/body', message }]);
    }
  }
  return Buffer.concat(chunks);
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return parseWhole(bytes);
  } catch (error) {
    throw error instanceof MalformedJsonError ? malformedBody(error.message) : error;
  }
}

/** @throws {ProblemError} with a pointer to each fault */
function sourceIn(body: unknown): ModelSource {
  const sent = asRecord(body);
  if (!Object.hasOwn(sent, 'source')) {
    throw invalidRequest([{ pointer: '/body', message: TABLE_FORM }]);
  }
  const { database, query } = asRecord(sent['source']);
  const errors = [
    ...unknownMembers(sent, ['source'], '/body'),
    ...(isObject(sent['source'])
      ? [
          ...unknownMembers(sent['source'], ['database', 'query'], '/body/source'),
          ...textErrors('database', database),
          ...textErrors('query', query),
        ]
      : [{ pointer: '/body/source', message: SOURCE_FORM }]),
  ];
  if (errors.length > 0 || typeof database !== 'string' || typeof query !== 'string') {
    throw invalidRequest(errors);
  }
  return { database, query };
}

const TABLE_FORM = 'must be an array of rows, or an object {"source": {"database": …, "query": …}}';

const SOURCE_FORM = 'must be an object with a database and a query';

function textErrors(name: keyof typeof MAX_LENGTH, value: unknown): FieldError[] {
  const pointer = `/body/source/${name}`;
  if (typeof value !== 'string') {
    return [{ pointer, message: mustBe(value, 'must be a text') }];
  }
  const most = MAX_LENGTH[name];
  if (value === '' || value.length > most) {
    return [{ pointer, message: `must have 1 to ${most} characters` }];
  }
  if (name === 'database' && !/^\w[\w.-]*$/.test(value)) {
    const message = 'must be letters, digits and _ . -, and begin with none of . -';
    return [{ pointer, message }];
  }
  return value.includes('\0')
    ? [{ pointer, message: 'must not contain the character U+0000' }]
    : [];
}

/** Returns the message of a value that is missing or has another form. */
function mustBe(value: unknown, form: string): string {
  return value === undefined ? `is missing; it ${form}` : form;
}

function unknownMembers(sent: object, known: readonly string[], at: string): FieldError[] {
  return Object.keys(sent)
    .filter((name) => !known.includes(name))
    .map((name) => ({
      pointer: `${at}/${escapeToken(name)}`,
      message: `is not known here; there is ${known.join(' and ')}`,
    }));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
