/** Ways in which a valid request is made wrong, each in one way, and what the answer must then be. */
import type { Place } from '../contract.js';
import { type Break, breaksOf } from './breaks.js';
import { type Case, type Expected, sentValue, targetOf, withParameter } from './case.js';
import type { Parameter } from './operations.js';
import { escapeStep, keywordsOf, typesOf } from './schema.js';
import { isSendable, jsonBody } from './valid-cases.js';

/**
 * Gives the ways in which a request can be made wrong, in groups of one kind; none, where there are none. Some
 * turn out not to be one only when they are tried.
 */
export type FaultMaker = (made: Case) => (() => Case | undefined)[][];

/** Ways in which there is nothing to try, grouped by what they are. */
export function certain(cases: readonly Case[]): (() => Case)[][] {
  return grouped(cases, ({ fault }) => fault?.what ?? '').map((group) =>
    group.map((made) => () => made),
  );
}

function grouped<T>(all: readonly T[], kindOf: (one: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(kindOf(one), [...(groups.get(kindOf(one)) ?? []), one]);
  return [...groups.values()];
}

function at(made: Case, what: string, statuses: readonly number[], pointer?: string): Case {
  const fault: Expected = { what, statuses, ...(pointer === undefined ? {} : { pointer }) };
  return { ...made, fault };
}

/** One keyword of the body's schema is broken. */
export const brokenBodies: FaultMaker = (made) => {
  const schema = jsonSchemaOf(made);
  if (schema === undefined || made.body === undefined) return [];
  return grouped(breaksOf(schema, made.body.value), ({ keyword }) => keyword).map((group) =>
    group.map(({ keyword, pointer, make }) => () => {
      const broken = make();
      if (broken === undefined) return undefined;
      const body = jsonBody(broken.value);
      if (body.bytes.length > (targetOf(made).maxBody ?? Number.POSITIVE_INFINITY))
        return undefined;
      return at({ ...made, body }, `body breaks ${keyword}`, [400], `/body${pointer}`);
    }),
  );
};

/** One keyword of a parameter's schema is broken. */
export const brokenParameters: FaultMaker = (made) =>
  targetOf(made).parameters.flatMap((parameter) => {
    const { name, in: where } = parameter;
    const value = sentValue(made, where, name) ?? exampleOf(parameter);
    return grouped(breaksOfParameter(parameter, value), ({ keyword }) => keyword).map((group) =>
      group.map(({ keyword, pointer, make }) => () => {
        const broken = make();
        if (broken === undefined || !canBeSent(where, broken.value)) return undefined;
        const sent = withParameter(made, parameter, broken.value);
        return at(sent, `${where} breaks ${keyword}`, [400], `/${where}/${name}${pointer}`);
      }),
    );
  });

/** What JavaScript takes for a number, or another reader might, and JSON does not (RFC 8259, section 6). */
const NO_NUMBERS = [
  '',
  'abc',
  'true',
  'NaN',
  'Infinity',
  '1,5',
  '1_0',
  '١',
  '--1',
  '1 2',
  '{}',
  '0x10',
  '+5',
  '05',
  ' 5',
  '5 ',
  '5.',
  '.5',
  '1e',
  '0b1',
  '1e400',
];

function breaksOfParameter({ schema }: Parameter, value: unknown): Break[] {
  const isNumber = typesOf(schema).some((type) => type === 'integer' || type === 'number');
  const texts = isNumber && !typesOf(schema).includes('string') ? NO_NUMBERS : [];
  return [
    ...texts.map((text) => ({ keyword: 'type', pointer: '', make: () => ({ value: text }) })),
    ...breaksOf(schema, value).filter(({ keyword }) => keyword !== 'type'),
  ];
}

/** Some values would make another address, or another header, or none at all. */
function canBeSent(where: string, value: unknown): boolean {
  const texts = [value].flat().map(String);
  if (texts.some((text) => /\p{Surrogate}/u.test(text))) return false;
  if (where === 'path') return !['', '.', '..'].includes(texts.join());
  return (
    where !== 'header' ||
    texts.every((text) => /^[\x20-\x7e\x80-\xff]*$/.test(text) && isSendable(text))
  );
}

function exampleOf({ schema }: Parameter): unknown {
  if (keywordsOf(schema)['type'] === 'array') return ['a'];
  return typesOf(schema).includes('string') ? 'a' : 1;
}

/** A part that is required is left out, and one that is unknown is sent. */
export const otherParts: FaultMaker = (made) => {
  const { parameters } = targetOf(made);
  const query = parameters.filter(({ in: where }) => where === 'query');
  const scalar = query.filter(({ schema }) => keywordsOf(schema)['type'] !== 'array');
  return certain([
    ...query
      .filter(({ required }) => required)
      .map((parameter) => {
        const others = made.parameters.filter(({ name }) => name !== parameter.name);
        const less = { ...made, parameters: others };
        return at(less, 'a parameter is missing', [400], `/query/${parameter.name}`);
      }),
    ...scalar.map((parameter) =>
      at(
        withParameter(made, parameter, ['1', '2']),
        'a parameter comes twice',
        [400],
        `/query/${parameter.name}`,
      ),
    ),
    ...[
      'colour',
      '__proto__',
      'constructor',
      'Limit',
      'a/b',
      'limit[]',
      'agent[a]',
      '__proto__[a]',
      'é',
    ].map((name) => {
      const more = withParameter(made, { name, in: 'query' }, 'red');
      return at(more, 'a parameter is unknown', [400], `/query/${escapeStep(name)}`);
    }),
  ]);
};

/** A body that cannot be read, is of another kind, or is not there. */
export const unreadableBodies: FaultMaker = (made) => {
  const { body, headers } = made;
  if (body === undefined) return [];
  const of = (mediaType: string, bytes = body.bytes) => ({
    ...made,
    body: { ...body, mediaType, bytes },
  });
  const other = [
    ...[
      '',
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'json',
      'application/jsonp',
    ],
    `${body.mediaType}; charset=utf-16`,
  ].map((mediaType) => at(of(mediaType), 'another media type', [415]));
  const packed = { ...made, headers: { ...headers, 'Content-Encoding': 'gzip' } };
  if (jsonSchemaOf(made) === undefined)
    return certain([...other, at(packed, 'a compressed body', [415])]);
  const text = body.bytes.toString();
  const broken = [
    text.slice(0, -1),
    `${text}x`,
    `${text},`,
    '{',
    "{'a':1}",
    '[1,]',
    '\ufeff{',
    'undefined',
    'NaN',
  ];
  return certain([
    ...other,
    at(packed, 'a compressed body', [415]),
    ...broken
      .filter(isNoJson)
      .map((bytes) => at(of(body.mediaType, Buffer.from(bytes)), 'no JSON', [400])),
    at(of(body.mediaType, Buffer.from('"\xff\xfe"', 'latin1')), 'no UTF-8', [400]),
    at(of(body.mediaType, Buffer.alloc(0)), 'an empty body', [400]),
  ]);
};

/** A body that costs more than the contract allows. */
export const largeBodies: FaultMaker = (made) => {
  const { body } = made;
  const { maxBody } = targetOf(made);
  if (body === undefined || jsonSchemaOf(made) === undefined) return [];
  const deep = Buffer.from('['.repeat(5000) + ']'.repeat(5000));
  const tooDeep = at(
    { ...made, body: { ...body, bytes: deep } },
    'a body too deep',
    [400],
    '/body',
  );
  if (maxBody === undefined) return certain([tooDeep]);
  const long = Buffer.concat([
    body.bytes,
    Buffer.alloc(Math.max(0, maxBody + 1 - body.bytes.length), ' '),
  ]);
  return certain([
    tooDeep,
    at({ ...made, body: { ...body, bytes: long } }, 'a body too large', [413]),
  ]);
};

/** Nothing that the operation answers with is acceptable. */
export const unacceptable: FaultMaker = (made) => {
  if (targetOf(made).produces.length === 0) return [];
  const accepts = ['application/xml', 'image/*', 'application/problem+json', '*/*;q=0'];
  return certain(
    accepts.map((Accept) =>
      at({ ...made, headers: { ...made.headers, Accept } }, 'no acceptable answer', [406]),
    ),
  );
};

function jsonSchemaOf(made: Case): Place | undefined {
  const { body } = made;
  if (body?.mediaType !== 'application/json') return undefined;
  return targetOf(made).bodies.find(([mediaType]) => mediaType === body.mediaType)?.[1];
}

function isNoJson(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch {
    return true;
  }
}
