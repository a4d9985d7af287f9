/** The predictions that a text is about, at the places where it has them. */

import type { components } from '../../generated/openapi.js';
import type { Prediction } from '../agents/tools/tool.js';

type Annotation = components['schemas']['OpenaiPrediction'];

/** As many as a text may have. */
const MAX_ANNOTATIONS = 100;

/** Returns each prediction with the place of its number or class in a text, or with all of the text. */
export function annotate(text: string, predictions: readonly Prediction[]): Annotation[] {
  const some = predictions.slice(0, MAX_ANNOTATIONS);
  const numbers = some.some(({ value }) => value !== undefined) ? readNumbers(text) : [];
  return some.map((prediction) => {
    const { value, class: name } = prediction;
    const at = name === undefined ? findNumber(numbers, value) : findText(text, name);
    const { start = 0, end = text.length } = at ?? {};
    return { type: 'roster:prediction', start_index: start, end_index: end, ...prediction };
  });
}

interface Place {
  readonly start: number;
  readonly end: number;
}

interface WrittenNumber extends Place {
  readonly value: number;
  /** Half of what its last digit that counts is worth. */
  readonly tolerance: number;
}

const NUMBER = /[-\u2212]?\d+(?:[,\u00a0\u202f]\d{3})*(?:\.\d+)?/g;

/** Reads the numbers of a text. Of `2,700`, the zeros may be rounded. */
function readNumbers(text: string): WrittenNumber[] {
  return Array.from(text.matchAll(NUMBER), ({ 0: written, index: start }) => {
    const plain = written.replace('\u2212', '-').replace(/[,\u00a0\u202f]/g, '');
    const [, decimals = ''] = plain.split('.');
    const digits = plain.replace('-', '');
    // Two digits count at least, so that 10 is not 14.
    const zeros = decimals === '' ? (/0*$/.exec(digits.slice(2))?.[0].length ?? 0) : 0;
    const tolerance = 10 ** (zeros - decimals.length) / 2;
    return { start, end: start + written.length, value: Number(plain), tolerance };
  });
}

function findNumber(numbers: readonly WrittenNumber[], value = Number.NaN): Place | undefined {
  return numbers.find((number) => Math.abs(number.value - value) <= number.tolerance);
}

function findText(text: string, name: string): Place | undefined {
  const start = name === '' ? -1 : text.indexOf(name);
  return start < 0 ? undefined : { start, end: start + name.length };
}
