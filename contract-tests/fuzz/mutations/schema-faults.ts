/** Requests that break one keyword of the contract, or lack a part, or have one too many. */

import { sentValue, targetOf, withParameter } from '../case.js';
import type { Parameter } from '../operations.js';
import { isSendable, jsonBody } from '../valid-cases.js';
import { escapeStep, keywordsOf, typesOf } from '../values/schema.js';
import { at, certain, type FaultMaker, grouped, jsonSchemaOf } from './faults.js';
import { type Break, breaksOf } from './schema-mutations.js';

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
  if (where === 'path') return !['', '.', '../..'].includes(texts.join());
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
