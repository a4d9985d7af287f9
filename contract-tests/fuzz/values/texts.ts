import fc from 'fast-check';
import type { Place } from '../../../testkit/openapi/document.js';
import { EDGE_TEXTS } from './edge-values.js';
import { boundOf, isValid, keywordsOf, patternOf } from './schema.js';

/** The length, in characters, above which texts are generated rarely. */
const LONG = 200;

/**
 * Generates valid texts of a schema: by its pattern, edge values, all of Unicode, and of the maximum length.
 */
export function textsOf(schema: Place): fc.Arbitrary<string> {
  const least = boundOf(schema, 'minLength', 0);
  const most = boundOf(schema, 'maxLength', 1000);
  const plain = plainTexts(schema, least, most);
  const nasty = EDGE_TEXTS.filter((text) => isValid(schema, text));
  const valid = (drafted: fc.Arbitrary<string>) =>
    fc
      .tuple(drafted, plain)
      .map(([draft, otherwise]) => (isValid(schema, draft) ? draft : otherwise));
  const longest = Math.min(most, 100_000);
  return fc.oneof(
    { weight: 80, arbitrary: plain },
    ...(nasty.length > 0 ? [{ weight: 60, arbitrary: fc.constantFrom(...nasty) }] : []),
    { weight: 20, arbitrary: valid(fc.string({ unit: 'binary', maxLength: Math.min(most, 40) })) },
    {
      weight: longest > LONG ? 1 : 10,
      arbitrary: valid(plain.map((text) => paddedTo(text, longest))),
    },
    { weight: 10, arbitrary: valid(plain.map((text) => [...text].slice(0, least).join(''))) },
  );
}

export function paddedTo(text: string, length: number): string {
  const padding = [...text].at(-1) ?? 'a';
  return text + padding.repeat(Math.max(0, length - [...text].length));
}

function plainTexts(schema: Place, least: number, most: number): fc.Arbitrary<string> {
  const { format } = keywordsOf(schema);
  if (format === 'uuid') return fc.uuid();
  const pattern = patternOf(schema);
  if (pattern === undefined) return fc.string({ minLength: least, maxLength: Math.min(most, 40) });
  // fast-check does not support negative lookaheads: they are removed here, and checked on each text
  // afterwards.
  const made = new RegExp(pattern.source.replace(/\(\?![^()]*\)/g, ''), 'u');
  return fc
    .stringMatching(made)
    .map((text) => [...text].slice(0, most).join(''))
    .filter((text) => isValid(schema, text));
}
