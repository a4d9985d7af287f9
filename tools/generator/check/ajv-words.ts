import type { ErrorObject } from 'ajv/dist/2020.js';
import { escapeToken } from '../../../server/contract/json-pointer.js';
import type { FaultyPart } from './fault.js';

/** These only tell that another error is there. */
const CONSEQUENCES = new Set(['if', 'oneOf', 'anyOf', 'allOf']);

/**
 * Returns the keywords that a value breaks, one for each place. Of a choice whose branches are all broken, the
 * branches of another type than the value are left out, unless no other branch remains.
 * @param pointer the pointer to the value
 */
export function brokenRules(errors: readonly ErrorObject[], pointer: string): FaultyPart[] {
  const choices = new Set(
    errors
      .filter(({ keyword }) => /^(oneOf|anyOf)$/.test(keyword))
      .map((error) => error.instancePath),
  );
  const causes = errors.filter(({ keyword }) => !CONSEQUENCES.has(keyword));
  const within = causes.filter(
    ({ keyword, instancePath }) => !(keyword === 'type' && choices.has(instancePath)),
  );
  const words = new Map<string, Set<string>>();
  for (const error of within.length > 0 ? within : causes.length > 0 ? causes : errors) {
    const place = pointer + error.instancePath + unknownMember(error);
    words.set(place, (words.get(place) ?? new Set()).add(wordsOf(error)));
  }
  return [...words].map(([place, messages]) => ({
    pointer: place,
    message: [...messages].join('; '),
  }));
}

function unknownMember({ params }: ErrorObject): string {
  const name: unknown = params['additionalProperty'] ?? params['unevaluatedProperty'];
  return typeof name === 'string' ? `/${escapeToken(name)}` : '';
}

function wordsOf({ keyword, message = keyword, params }: ErrorObject): string {
  switch (keyword) {
    case 'enum':
      return `must be one of ${JSON.stringify(params['allowedValues'])}`;
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`;
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'must not be there';
    default:
      return message;
  }
}
