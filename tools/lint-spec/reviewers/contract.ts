import { type Code, faultyParts } from '../../generator/check/index.js';
import type { Reviewer } from './reviewer.js';

/** Returns the reviewer that finds what stops the generator. */
export function contractReviewer(code: Code): Reviewer {
  return ({ content }) =>
    faultyParts(content, code).map(({ rule, pointer, message, remedy }) => ({
      rule: `contract/${rule}`,
      severity: 'error',
      pointer,
      message,
      remedy: remedy && `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}.`,
    }));
}
