import { type FileFormat, MEDIA_TYPES } from 'roster-client';
import { asRecord } from '../../contract/json-record.js';
import { FILE_FORMATS, toColumns, writeFile } from '../../testkit/data/table-files.js';
import type { RawRequest } from '../../testkit/http/client.js';
import { findBound, listTypes } from '../../testkit/openapi/schema.js';
import { listPossibleSites, type Site, withField } from '../../testkit/openapi/sites.js';
import { arrayPatterns, memberPatterns, type Pattern, textPatterns } from './patterns.js';
import { type Change, isForm, isJson, type Sample, type SampleBody, writeSample } from './requests.js';

/** A request with one place that a pattern fills to a size. */
export interface Growth {
  readonly sample: string;
  readonly place: string;
  readonly pattern: string;
  /** Sizes of the place in bytes. Those of one series ascend and are compared with each other. */
  readonly series: readonly (readonly number[])[];
  readonly write: (bytes: number) => RawRequest;
}

/** Node.js takes 16 KiB of headers, the address among them. */
const HEAD_BYTES = 14_000;

/** The most bytes of a value beyond the limit of the contract, which a validator refuses. */
const MEBIBYTE = 1024 * 1024;

/** The most bytes of a body. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** The most bytes of a table, for which the contract has no limit: longer tables are read in pieces. */
const MAX_TABLE_BYTES = MEBIBYTE;

/** The bytes of a body that are left for the text around the place that grows. */
const ROOM = 2048;

/** The smallest size, and the ratio of two sizes. */
const LEAST = 1024;
const RATIO = 4;

/** Returns every way in which a sample grows. */
export function listGrowths(sample: Sample): Growth[] {
  const { operation, body, isFirst } = sample;
  const parameters = !isFirst
    ? []
    : operation.parameters.flatMap((parameter) => {
        const [where, name] = [parameter.text('in'), parameter.text('name')];
        const own = parameter.entries('examples')[0]?.[1].text('value') ?? 'a';
        if (where === 'header') return growHeader(sample, name, own);
        const place = `${where} ${name}`;
        if (where === 'path') return growHead(sample, place, own, (text) => ({ path: { [name]: text } }));
        const others = new URLSearchParams({ ...sample.query });
        others.delete(name);
        return growHead(sample, place, own, (text) => ({ query: `${others}&${name}=${text}` }));
      });
  return [
    asItIs(sample),
    ...parameters,
    ...(isFirst ? growQuery(sample) : []),
    ...(body ? growBody(sample, body) : []),
  ];
}

/** Returns a request that does not grow: its work depends on stored data. */
function asItIs(sample: Sample): Growth {
  const request = writeSample(sample);
  const bytes = Buffer.byteLength(request.body ?? request.path);
  return { sample: sample.name, place: '', pattern: 'as it is', series: [[bytes]], write: () => request };
}

/** Returns the growths of a text in the address, which is percent-encoded. */
function growHead(sample: Sample, place: string, own: string, change: (text: string) => Change): Growth[] {
  return textPatterns(own).map(({ name, fill }) => ({
    sample: sample.name,
    place,
    pattern: name,
    series: [lastTwo(HEAD_BYTES)],
    write: (bytes) => writeSample(sample, change(encodeTo(bytes, readFilled(fill, bytes)))),
  }));
}

/** Returns a text percent-encoded, in at most `bytes` bytes. */
function encodeTo(bytes: number, text: string): string {
  // Halves of surrogate pairs have no encoding.
  const encoded = encodeURIComponent(Buffer.from(text).toString());
  return encoded.slice(0, bytes).replace(/%.?$/, '');
}

/** Characters that need no encoding in an address, and parameters that no operation has. */
const RAW_QUERIES = ['a&', 'a=1&', 'a[b]=1&', 'a[]=1&', '&', '=', '+', '%41=1&', '%', 'limit=1&'];

function growQuery(sample: Sample): Growth[] {
  const own = sample.operation.parameters.filter((parameter) => parameter.text('in') === 'query');
  const repeated = own.map((parameter) => `${parameter.text('name')}=a&`);
  return [...RAW_QUERIES, ...repeated].map((unit) => ({
    sample: sample.name,
    place: 'query',
    pattern: unit,
    series: [lastTwo(HEAD_BYTES)],
    write: (bytes) =>
      writeSample(sample, { query: `${new URLSearchParams(sample.query)}&${unit.repeat(bytes / unit.length)}` }),
  }));
}

/** Returns the growths of a header, by the patterns that Node.js accepts in a header. */
export function growHeader(sample: Sample, name: string, own: string): Growth[] {
  const write = (fill: Pattern['fill'], bytes: number) => {
    // Servers remove blanks around a value.
    const value = `x${readFilled(fill, bytes)}`.replace(/^x(?! )/, '');
    return writeSample(sample, { headers: { [name]: value } });
  };
  return textPatterns(own)
    .filter(({ fill }) => /^[\x20-\xff]*$/.test(readFilled(fill, 1)))
    .map(({ name: pattern, fill }) => ({
      sample: sample.name,
      place: `header ${name}`,
      pattern,
      series: [lastTwo(HEAD_BYTES)],
      write: (bytes) => write(fill, bytes),
    }));
}

function readFilled(fill: Pattern['fill'], bytes: number): string {
  return JSON.parse(`"${fill(bytes)}"`);
}

function growBody(sample: Sample, body: SampleBody): Growth[] {
  const { mediaType } = body;
  if (isJson(mediaType)) return growJson(sample, body);
  if (isForm(mediaType)) return growForm(sample, body);
  const format = FILE_FORMATS.find((one) => MEDIA_TYPES[one] === mediaType);
  const isText = format === undefined || format === 'csv' || format === 'ndjson';
  if (!isText) return growFile(sample, format);
  return growText(sample, String(body.value), format !== undefined);
}

/** Marks a place in JSON for text that `JSON.stringify` cannot write. */
const MARK = '@@grown@@';

function growJson(sample: Sample, { schema, value }: SampleBody): Growth[] {
  const seen = new Set<string>();
  return listPossibleSites(schema, value).flatMap((site) => {
    const place = `body ${site.pointer || '/'}`;
    const limit = bodyLimit(sample);
    const types = listTypes(site.schema);
    const grow = (
      kind: string,
      keyword: string,
      patterns: readonly Pattern[],
      json: string,
      filled: (text: string) => string,
    ) => {
      // Branches of a choice may have the same place.
      if (seen.has(place + kind)) return [];
      seen.add(place + kind);
      return patterns.map(({ name, unit, fill }): Growth => {
        const most = findBound(site.schema, keyword, Number.POSITIVE_INFINITY) * unit;
        const beyond = Math.min(limit, Math.max(most, MEBIBYTE));
        return {
          sample: sample.name,
          place: place + kind,
          pattern: name,
          series: [...within(most, beyond), kind === '' ? lastTwo(beyond) : allSizes(beyond)],
          write: (bytes) => {
            // Not as a pattern, in which $ has a meaning.
            const text = json.replace(`"${MARK}"`, () => filled(fill(bytes)));
            return writeSample(sample, { body: Buffer.from(text) });
          },
        };
      });
    };
    const own = typeof site.value === 'string' ? site.value : '';
    const marked = JSON.stringify(site.put(MARK));
    return [
      ...(types.includes('string') ? grow('', 'maxLength', textsOf(sample, own), marked, (text) => `"${text}"`) : []),
      ...(types.includes('array')
        ? grow('/…', 'maxItems', arrayPatterns(itemOf(site)), marked, (text) => `[${text}]`)
        : []),
      ...(types.includes('object')
        ? grow('/{}', 'maxProperties', memberPatterns('1'), withMark(site), (text) => text)
        : []),
    ];
  });
}

/** One of so many patterns of text is sent to samples whose places another sample of their operation has. */
const TEXT_SHARE = 6;

function textsOf({ isFirst }: Sample, own: string): readonly Pattern[] {
  return textPatterns(own).filter((_, at) => isFirst || at % TEXT_SHARE === 0);
}

/** Returns JSON of an item that an array has. */
function itemOf({ value }: Site): string {
  return JSON.stringify(Array.isArray(value) && value.length > 0 ? value.at(-1) : 'a');
}

/** Returns JSON with a member that is marked, as a whole, beside those that a place has. */
function withMark({ value, put }: Site): string {
  const json = JSON.stringify(put(withField(asRecord(value), MARK, 0)));
  return json.replace(`"${MARK}":0`, `"${MARK}"`);
}

function growForm(sample: Sample, { schema, value }: SampleBody): Growth[] {
  const limit = bodyLimit(sample);
  const fields = schema.entries('properties').map(([name]) => name);
  const sent = Object.entries(asRecord(value)).map(([name, one]): [string, string] => [name, String(one)]);
  const ofFields = [...fields, 'another'].flatMap((name) => {
    const others = new URLSearchParams(sent.filter(([other]) => other !== name));
    const [, own = ''] = sent.find(([other]) => other === name) ?? [];
    return textPatterns(own).map(({ name: pattern, fill }) => ({
      pattern,
      place: `body /${name}`,
      text: (bytes: number) => `${others}&${name}=${encodeTo(bytes, readFilled(fill, bytes))}`,
    }));
  });
  const whole = RAW_QUERIES.map((unit) => ({
    pattern: unit,
    place: 'body /{}',
    text: (bytes: number) => `${new URLSearchParams(sent)}&${unit.repeat(bytes / unit.length)}`,
  }));
  return [...ofFields, ...whole].map(({ place, pattern, text }) => ({
    sample: sample.name,
    place,
    pattern,
    series: [lastTwo(limit)],
    write: (bytes) => writeSample(sample, { body: Buffer.from(text(bytes)) }),
  }));
}

/** Rows of texts, as repetitions of lines and of cells. */
const LINES = ['0\n', '0,0\n', '{}\n', '[]\n', '{"k":1}\n', '"\n', '""\n', ',,\n', 'a,'];

/** Returns the growths of a body of text, after its first line; those of a table, before it, too. */
function growText(sample: Sample, value: string, isTable: boolean): Growth[] {
  const [first = ''] = value.split('\n');
  const limit = bodyLimit(sample);
  const lines = LINES.map((unit) => ({
    name: JSON.stringify(unit),
    fill: (bytes: number) => JSON.stringify(unit.repeat(bytes / unit.length)).slice(1, -1),
  }));
  const whole = { name: 'lines that fit', text: repeatedTo(value) };
  // The media types of documents differ in their lines.
  const patterns = isTable || sample.isFirst ? [...textPatterns(''), ...lines] : lines;
  const filled = patterns.flatMap(({ name, fill }) => [
    ...(isTable ? [{ name: `first ${name}`, text: (bytes: number) => `${readFilled(fill, bytes)}\n${value}` }] : []),
    { name, text: (bytes: number) => `${first}\n${readFilled(fill, bytes)}` },
  ]);
  return [whole, ...filled].map(({ name, text }) => ({
    sample: sample.name,
    place: 'body',
    pattern: name,
    series: [lastTwo(limit)],
    write: (bytes) => writeSample(sample, { body: Buffer.from(text(bytes)) }),
  }));
}

function repeatedTo(value: string): (bytes: number) => string {
  const [first = '', ...rest] = value.trimEnd().split('\n');
  const lines = `${rest.join('\n') || first}\n`;
  return (bytes) => `${first}\n${lines.repeat(Math.max(1, bytes / lines.length))}`;
}

/** Tables whose sizes are in one dimension, by the bytes that they take as numbers. */
const TABLES: Readonly<Record<string, (bytes: number) => Readonly<Record<string, number | string>>[]>> = {
  rows: (bytes) => Array.from({ length: bytes / 16 }, (_, at) => ({ carat: at % 97, price: at })),
  columns: (bytes) => {
    const names = Array.from({ length: Math.min(bytes / 64, 5000) }, (_, at) => `column ${at}`);
    return Array.from({ length: 4 }, (_, row) => Object.fromEntries(names.map((one) => [one, row])));
  },
  'a long text': (bytes) => [{ carat: 'x'.repeat(bytes), price: 'a' }],
  texts: (bytes) => Array.from({ length: bytes / 32 }, (_, at) => ({ carat: `text ${at}`, price: 'a' })),
};

/** The most bytes of a file that the bench writes: some formats take it longer to write than the service to read. */
const MAX_FILE_BYTES = MEBIBYTE;

function growFile(sample: Sample, format: FileFormat): Growth[] {
  return Object.entries(TABLES).map(([pattern, rows]) => ({
    sample: sample.name,
    place: 'body',
    pattern,
    series: [lastTwo(MAX_FILE_BYTES)],
    write: (bytes) => writeSample(sample, { body: writeFile(format, toColumns(rows(bytes))) }),
  }));
}

function bodyLimit({ operation }: Sample): number {
  const limit = operation.place.find('requestBody', 'x-roster-max-body')?.value;
  return Math.min(Number(limit ?? MAX_TABLE_BYTES), MAX_BODY_BYTES) - ROOM;
}

/** Returns a series up to the most that a schema allows, if that is worth a series and below the limit of the body. */
function within(most: number, limit: number): number[][] {
  return most >= LEAST && most < limit / 2 ? [lastTwo(most)] : [];
}

function lastTwo(limit: number): number[] {
  return [Math.floor(limit / RATIO), Math.floor(limit)];
}

function allSizes(limit: number): number[] {
  const sizes: number[] = [];
  for (let size = limit; size >= LEAST; size /= RATIO) sizes.unshift(Math.floor(size));
  return sizes;
}
