import { asRecord } from '../../contract/json-record.js';
import type { RawRequest } from '../../testkit/http/client.js';
import { allOperations, type Operation, type Place } from '../../testkit/openapi/document.js';
import { simplest } from '../../testkit/openapi/schema.js';

/** A request whose places can grow: one to an operation of the contract, from its examples. */
export interface Sample {
  /** The operation, and the name of this sample among its samples. */
  readonly name: string;
  readonly operation: Operation;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: SampleBody;
  /** True for one sample of each operation, whose address and headers stand for those of the others. */
  readonly isFirst: boolean;
}

/** A body as a value that is written in its media type, or as text. */
export interface SampleBody {
  readonly mediaType: string;
  readonly schema: Place;
  readonly value: unknown;
}

/** The stored data that the samples use. */
export interface Known {
  /** The key of the requests. */
  readonly key: string;
  /** The names that replace those of the examples, by the parameter; those of one operation by its id. */
  readonly names: Readonly<Record<string, string>>;
  readonly namesOf: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Further samples of an operation, by its id. */
  readonly further: Readonly<Record<string, readonly Variant[]>>;
}

/** The parts of a sample that replace those of the first example of its operation. */
export interface Variant {
  readonly name: string;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A name that no resource has: deletions must not remove resources that later requests use. */
const ABSENT = 'absent';

/** Returns the samples of every operation. */
export function listSamples({ key, names, namesOf, further }: Known): Sample[] {
  return allOperations.flatMap((operation) => {
    const path = { ...examplesOf(operation, 'path'), ...names, ...namesOf[operation.id] };
    const query = examplesOf(operation, 'query', true);
    const [last = ''] = operation.path.match(/\w+(?=\}$)/) ?? [];
    const there = operation.method === 'DELETE' ? { ...path, [last]: ABSENT } : path;
    const bodies = bodiesOf(operation);
    const headers = { Authorization: `Bearer ${key}` };
    const whole: Sample = { name: operation.id, operation, path: there, query, headers, isFirst: true };
    const own = bodies.map(([name, body], at): Sample => {
      const only = bodies.length === 1 ? operation.id : `${operation.id}, ${name}`;
      return { ...whole, name: only, body: creates(operation) ? withNewName(body) : body, isFirst: at === 0 };
    });
    const [first = whole] = own;
    const variants = (further[operation.id] ?? []).map(
      ({ name, path: at, query: asked, body }): Sample => ({
        ...first,
        isFirst: false,
        name: `${operation.id}, ${name}`,
        path: { ...there, ...at },
        query: { ...query, ...asked },
        ...(first.body && { body: { ...first.body, value: body ?? first.body.value } }),
      }),
    );
    return [...(own.length === 0 ? [whole] : own), ...variants];
  });
}

function creates({ method, place }: Operation): boolean {
  return method === 'POST' && place.find('responses', '201') !== undefined;
}

/** The name of what a request creates; it is deleted after its answer. */
const CREATED = 'grown';

/** Gives a body such as `{"skill": {"name": "sales"}}` a name that no resource has. */
function withNewName(body: SampleBody): SampleBody {
  const named = Object.entries(asRecord(body.value)).map(([wrapper, fields]) => {
    const own = asRecord(fields);
    return [wrapper, 'name' in own ? { ...own, name: CREATED } : fields];
  });
  return isJson(body.mediaType) ? { ...body, value: Object.fromEntries(named) } : body;
}

/** Returns the bodies of an operation, by what distinguishes one from the others; those in JSON with each of their examples. */
function bodiesOf({ place }: Operation): [string, SampleBody][] {
  return place.entries('requestBody', 'content').flatMap(([mediaType, content]) => {
    const schema = content.at('schema');
    const examples = content
      .entries('examples')
      .map(([name, example]): [string, unknown] => [name, example.at('value').value]);
    const type = shortName(mediaType);
    if (examples.length === 0) return [[type, { mediaType, schema, value: simplest(schema) }]];
    return examples.map(([name, value]): [string, SampleBody] => [
      examples.length === 1 ? type : `${type} ${name}`,
      { mediaType, schema, value },
    ]);
  });
}

/** Returns the last part of a media type: `stream` of `application/vnd.apache.arrow.stream`. */
function shortName(mediaType: string): string {
  return mediaType.split(/[/.]/).at(-1) ?? mediaType;
}

/** Returns the first examples of the parameters in a place. */
function examplesOf({ parameters }: Operation, where: string, areRequired = false): Record<string, string> {
  return Object.fromEntries(
    parameters
      .filter((one) => one.text('in') === where)
      .filter((one) => !areRequired || one.find('required')?.value === true)
      .map((one) => [one.text('name'), one.entries('examples')[0]?.[1].text('value') ?? 'a']),
  );
}

/** The parts of a request that replace those of its sample. */
export interface Change {
  readonly path?: Readonly<Record<string, string>>;
  /** The query, encoded; that of the sample if it is left out. */
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** Writes the request of a sample. Names in its path are encoded; those of a change are already. */
export function writeSample(sample: Sample, change: Change = {}): RawRequest {
  const { operation, path, query, headers, body } = sample;
  const address = operation.path.replace(
    /\{(\w+)\}/g,
    (_, name) => change.path?.[name] ?? encodeURIComponent(path[name] ?? ABSENT),
  );
  const asked = change.query ?? new URLSearchParams(query).toString();
  return {
    method: operation.method,
    path: address + (asked === '' ? '' : `?${asked}`),
    headers: { ...(body && { 'Content-Type': body.mediaType }), ...headers, ...change.headers },
    body: change.body ?? (body && writeBody(body)),
  };
}

function writeBody({ mediaType, value }: SampleBody): Buffer {
  if (isForm(mediaType)) return Buffer.from(new URLSearchParams(Object(value)).toString());
  return Buffer.from(isJson(mediaType) ? JSON.stringify(value) : String(value));
}

export function isJson(mediaType: string): boolean {
  return mediaType.endsWith('/json');
}

export function isForm(mediaType: string): boolean {
  return mediaType.endsWith('/x-www-form-urlencoded');
}
