/** A way to fill a place with a number of bytes. */
export interface Pattern {
  readonly name: string;
  /** The bytes of one repetition, at most. */
  readonly unit: number;
  /** Returns JSON for the place, without the marks around it. */
  readonly fill: (bytes: number) => string;
}

/**
 * Texts that are repeated. Each resembles the beginning of something that a service looks for: tokens, numbers,
 * markup, SQL, paths, dates, words; or it takes more bytes or code points than it has characters, or has marks that
 * normalization puts in another order.
 */
const UNITS: readonly string[] = [
  ...['a', 'A', '0', '9', ' ', '\t', '\n', '\r\n', 'a ', 'a\n', 'a,', ',', ';', ':', '.', '-'],
  ...['_', '=', '&', '|', '/', '\\', '"', "'", '`', '*', '#', '!', '@', '%', '+', '~', '^', '?'],
  ...['(', '[', '{', '<', '()', '[]', '{}', '<a', '![', '](', '{{', '${', '<!--', '--', '/*', '//'],
  ...['eyJ', 'eyJ.', 'eyJa.eyJ.', 'roster_', 'roster_a_', 'sk-', 'Bearer ', 'http://', 'a@', 'a.'],
  ...['a=', 'a:', 'a/', '../', '1.', '1e', '0x', '-1', '1,', '2020-', '00:', '%41', '%', '\\u0041'],
  ...['or ', 'select ', 'é', 'e\u0301', '\u0301', '\u0315\u0300', '\ud83d', '💎', '\u200d', '\u0000', 'İ', '中'],
];

/** Ends a text, so that a pattern that matched the repetitions has to backtrack. */
const TAIL = '!';

/** Returns the patterns of a text. @param own a text that fits the place, which some of them begin with */
export function textPatterns(own: string): readonly Pattern[] {
  return [
    ...UNITS.map((unit) => repeated(JSON.stringify(unit), '', unit)),
    { name: 'escapes', unit: 6, fill: (bytes) => '\\u0041'.repeat(Math.max(1, bytes / 6)) },
    ...(own === '' ? [] : ['a', '0', ' '].map((unit) => repeated(`example, ${unit}`, own, unit))),
  ];
}

function repeated(name: string, before: string, unit: string): Pattern {
  const json = inText(unit);
  const fill = (bytes: number) =>
    inText(before) + json.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(json)))) + TAIL;
  return { name, unit: Buffer.byteLength(json), fill };
}

/** Returns a text as JSON, without its quotes. */
function inText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Returns a pattern of items, or of members, with commas between them. */
function listed(name: string, unit: number, item: (index: number) => string): Pattern {
  const fill = (bytes: number) =>
    Array.from({ length: Math.max(1, Math.floor(bytes / unit)) }, (_, at) => item(at)).join();
  return { name, unit, fill };
}

/** Returns a pattern of one large item or member. */
function single(name: string, fill: (bytes: number) => string): Pattern {
  return { name, unit: Number.POSITIVE_INFINITY, fill };
}

/** Returns nested values. */
function nested(open: string, inner: string, close: string): (bytes: number) => string {
  return (bytes) => {
    const levels = Math.max(1, Math.floor(bytes / (open.length + close.length)));
    return open.repeat(levels) + inner + close.repeat(levels);
  };
}

const LEVELS = 90;
const DEEP = '['.repeat(LEVELS) + ']'.repeat(LEVELS);

/** Values that take more work than their bytes suggest: the items of arrays and the members of objects. */
const VALUES: readonly (readonly [name: string, unit: number, value: (index: number) => string])[] = [
  ['0', 2, () => '0'],
  ['0.1234567890123456', 19, () => '0.1234567890123456'],
  ['1e999', 6, () => '1e999'],
  ['null', 5, () => 'null'],
  ['""', 3, () => '""'],
  ['texts', 9, (index) => `"${index}"`],
  ['{}', 3, () => '{}'],
  ['[]', 3, () => '[]'],
  ['objects of one new member', 18, (index) => `{"k${index}":1}`],
  ['objects of a text', 14, () => '{"name":"!"}'],
  [`${LEVELS} arrays in arrays`, 2 * LEVELS + 1, () => DEEP],
  ['texts of 1 kB', 1003, () => `"${'x'.repeat(1000)}"`],
];

/** Returns the patterns of an array. @param own JSON of an item that fits it */
export function arrayPatterns(own: string): readonly Pattern[] {
  return [
    listed('items that fit', Buffer.byteLength(own) + 1, () => own),
    ...VALUES.map(([name, unit, value]) => listed(name, unit, value)),
    single('arrays within each other', nested('[', '', ']')),
    single('objects within each other', nested('{"a":', '1', '}')),
    single('a long text', (bytes) => `"${'x'.repeat(bytes)}"`),
    single('a long number', (bytes) => `1.${'9'.repeat(bytes)}`),
  ];
}

/** The texts of long names: names are compared, normalized, quoted and masked. */
const NAMES = ['k', '0', ' ', '/', 'eyJ', 'roster_', 'e\u0301', '\u0315\u0300', '\ud83d', '💎'];

/** More faulty values than a problem lists, each of which it points at. */
const FAULTS = Array.from({ length: 200 }, () => '1e999').join();

/** Returns the patterns of the members of an object. @param own JSON of a value that fits one */
export function memberPatterns(own: string): readonly Pattern[] {
  const member = (value: (index: number) => string) => (index: number) => `"k${index}":${value(index)}`;
  return [
    listed(
      'values that fit',
      Buffer.byteLength(own) + 9,
      member(() => own),
    ),
    ...VALUES.map(([name, unit, value]) => listed(name, unit + 8, member(value))),
    listed('numbers as names', 10, (index) => `"${index}":1`),
    listed('one name', 6, () => '"k":1'),
    listed('__proto__', 14, () => '"__proto__":{}'),
    listed('names of 1 kB', 1012, (index) => `"${'k'.repeat(1000)}${index}":1`),
    ...NAMES.map((unit) =>
      single(`a name of ${JSON.stringify(unit)}`, (bytes) => {
        const { fill } = repeated('', '', unit);
        return `"${fill(bytes)}":1`;
      }),
    ),
    single('faults below a long name', (bytes) => `"${'/'.repeat(bytes)}":[${FAULTS}]`),
    single('objects within each other', (bytes) => `"k":${nested('{"a":', '1', '}')(bytes)}`),
    single('arrays within each other', (bytes) => `"k":${nested('[', '', ']')(bytes)}`),
    single('a long text', (bytes) => `"k":"${'x'.repeat(bytes)}"`),
  ];
}
