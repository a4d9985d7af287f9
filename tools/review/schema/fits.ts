import type { JsonRecord } from '../../../server/contract/json-record.js';
import { statements } from './statements.js';
import { type Type, typeOf } from './types.js';

/** Schemas that must all hold, and the types that they allow. */
interface TypedSchemas {
  readonly parts: readonly JsonRecord[];
  readonly types: ReadonlySet<Type>;
}

/** Checks of keywords that apply to one type; values of other types pass. */
const CHECKS: Readonly<Record<string, (value: unknown, limit: unknown) => boolean>> = {
  minimum: numbers((value, limit) => value >= limit),
  maximum: numbers((value, limit) => value <= limit),
  exclusiveMinimum: numbers((value, limit) => value > limit),
  exclusiveMaximum: numbers((value, limit) => value < limit),
  multipleOf: numbers((value, divisor) => Number.isInteger(value / divisor)),
  minLength: numbers((length, limit) => length >= limit),
  maxLength: numbers((length, limit) => length <= limit),
};

/**
 * Whether a value that one version enumerates is allowed by the other, which enumerates none: by its type, its
 * bounds and its pattern. Formats are not checked.
 */
export function fits(value: unknown, shape: TypedSchemas): boolean {
  if (!shape.types.has(typeOf(value))) return false;
  const meets = Object.entries(CHECKS).every(([keyword, check]) =>
    statements(shape, keyword).every(({ value: limit }) => check(measured(value, keyword), limit)),
  );
  return (
    meets &&
    (typeof value !== 'string' ||
      statements(shape, 'pattern').every(({ value: pattern }) => matches(value, pattern)))
  );
}

function numbers(check: (value: number, limit: number) => boolean) {
  return (value: unknown, limit: unknown) =>
    typeof value !== 'number' || typeof limit !== 'number' || check(value, limit);
}

/**
 * Returns the quantity that a keyword limits. The length of a text is counted in code points (JSON Schema
 * Validation, 6.3).
 */
function measured(value: unknown, keyword: string): unknown {
  if (keyword.endsWith('Length')) return typeof value === 'string' ? [...value].length : undefined;
  return value;
}

function matches(text: string, pattern: unknown): boolean {
  const expression = regularExpression(pattern);
  return expression === undefined || expression.test(text);
}

/** Compiles a pattern; returns undefined if it is not supported here. */
export function regularExpression(pattern: unknown): RegExp | undefined {
  try {
    return new RegExp(String(pattern), 'u');
  } catch {
    return undefined;
  }
}
