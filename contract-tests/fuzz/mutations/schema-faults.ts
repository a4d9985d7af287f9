/** Requests that break one keyword of a schema, lack a part, or have an unknown one. */

import { escapeToken } from '../../../contract/pointer.js';
import { listKeywords, listTypes } from '../../../testkit/openapi/schema.js';
import { type Case, findTarget, jsonBody, sentValue, withParameter } from '../case.js';
import type { Parameter } from '../operations.js';
import { isSendable } from '../valid-cases.js';
import { at, type FaultMaker, findJsonSchema, type Mutant } from './request-faults.js';
import { listMutations, type Mutation } from './schema-mutations.js';

/** Breaks one keyword of the body's schema. */
export const brokenBodies: FaultMaker = (made) => {
  const schema = findJsonSchema(made);
  if (schema === undefined || made.body === undefined) return [];
  const { maxBody = Number.POSITIVE_INFINITY } = findTarget(made);
  return brokenBy(listMutations(schema, made.body.value), 'body', '/body', (value) => {
    const body = jsonBody(value);
    return body.bytes.length > maxBody ? undefined : { ...made, body };
  });
};

/** Breaks one keyword of a parameter's schema. */
export const brokenParameters: FaultMaker = (made) =>
  findTarget(made).parameters.flatMap((parameter) => {
    const { name, in: where } = parameter;
    const value = sentValue(made, where, name) ?? findExample(parameter);
    const mutations = mutationsOfParameter(parameter, value);
    return brokenBy(mutations, where, `/${where}/${name}`, (broken) =>
      canBeSent(where, broken) ? withParameter(made, parameter, broken) : undefined,
    );
  });

/** @param sending returns the request that sends a value; undefined if it cannot be sent */
function brokenBy(
  mutations: readonly Mutation[],
  where: string,
  place: string,
  sending: (value: unknown) => Case | undefined,
): Mutant[] {
  return mutations.map(({ keyword, pointer, make }) => {
    const what = `${where} breaks ${keyword}`;
    return {
      kind: `${place} ${keyword}`,
      make: () => {
        const broken = make();
        const sent = broken && sending(broken.value);
        return sent && at(sent, what, [400], place + pointer).make();
      },
    };
  });
}

/** Texts that JavaScript or another parser reads as a number, and JSON does not (RFC 8259, section 6). */
const INVALID_NUMBERS = [
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

function mutationsOfParameter({ schema, in: where }: Parameter, value: unknown): Mutation[] {
  const isNumber = listTypes(schema).some((type) => type === 'integer' || type === 'number');
  // The validator reads the number of a header as JavaScript does.
  const invalid = INVALID_NUMBERS.filter((text) => where !== 'header' || Number.isNaN(Number(text)));
  const texts = isNumber && !listTypes(schema).includes('string') ? invalid : [];
  return [
    ...texts.map((text) => ({ keyword: 'type', pointer: '', make: () => ({ value: text }) })),
    ...listMutations(schema, value).filter(({ keyword }) => keyword !== 'type'),
  ];
}

/** Returns whether a value can be sent in its place. Some would change the address or the header, or be dropped. */
function canBeSent(where: string, value: unknown): boolean {
  const texts = [value].flat().map(String);
  // A list without items is not sent.
  if (texts.length === 0) return false;
  if (texts.some((text) => /\p{Surrogate}/u.test(text))) return false;
  if (where === 'path') return !['', '.', '../..'].includes(texts.join());
  return where !== 'header' || texts.every((text) => /^[\x20-\x7e\x80-\xff]*$/.test(text) && isSendable(text));
}

function findExample({ schema }: Parameter): unknown {
  if (listKeywords(schema)['type'] === 'array') return ['a'];
  return listTypes(schema).includes('string') ? 'a' : 1;
}

/** Omits a required part, repeats a parameter, or sends an unknown one. */
export const otherParts: FaultMaker = (made) => {
  const { parameters } = findTarget(made);
  const query = parameters.filter(({ in: where }) => where === 'query');
  const required = query.filter((parameter) => parameter.required);
  const scalar = query.filter(({ schema }) => listKeywords(schema)['type'] !== 'array');
  return [
    ...required.map((parameter) => {
      const others = made.parameters.filter(({ name }) => name !== parameter.name);
      const less = { ...made, parameters: others };
      return at(less, 'a parameter is missing', [400], `/query/${parameter.name}`);
    }),
    ...scalar.map((parameter) => {
      const twice = withParameter(made, parameter, ['1', '2']);
      return at(twice, 'a parameter comes twice', [400], `/query/${parameter.name}`);
    }),
    ...['colour', '__proto__', 'constructor', 'Limit', 'a/b', 'limit[]', 'agent[a]', '__proto__[a]', 'é'].map(
      (name) => {
        const more = withParameter(made, { name, in: 'query' }, 'red');
        return at(more, 'a parameter is unknown', [400], `/query/${escapeToken(name)}`);
      },
    ),
  ];
};
