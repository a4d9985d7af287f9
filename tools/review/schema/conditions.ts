import type { JsonRecord } from '../../../server/contract/json-record.js';
import { members, texts } from '../contract/contract.js';
import { type Difference, isRemark } from '../finding.js';
import { type Comparison, difference, type Pair } from './comparison.js';
import type { Conjunction, Shape } from './shape.js';
import { statements } from './statements.js';
import { canonical } from './words.js';

/** A condition: its subject, and the schemas that it then requires. */
interface Condition {
  readonly part: JsonRecord;
  readonly keyword: string;
  /** The identity of a condition; a schema if it is more than a plain text. */
  readonly about: string | Conjunction;
  /** The required schemas, which are compared like any others. */
  readonly asks: { readonly [path: string]: Conjunction };
}

/**
 * Compares `if`, `not`, `contains`, `propertyNames`, and the keywords that depend on the presence of a field.
 */
export function compareConditions(comparison: Comparison, shapes: Pair<Shape>): Difference[] {
  const left = [...conditionsOf(shapes.after)];
  const found: Difference[] = [];
  for (const before of conditionsOf(shapes.before)) {
    const index = left.findIndex((after) => same(comparison, { before, after }));
    const [after] = index < 0 ? [] : left.splice(index, 1);
    if (after) found.push(...compareAsked(comparison, { before, after }));
    else found.push(differenceOf(comparison, 'condition-removed', before));
  }
  return [...found, ...left.map((after) => differenceOf(comparison, 'condition-added', after))];
}

function conditionsOf(shape: Shape): Condition[] {
  const of = (keyword: string, condition: (value: unknown, part: JsonRecord) => Condition[]) =>
    statements(shape, keyword).flatMap(({ part, value }) => condition(value, part));
  return [
    ...of('if', (schema, part) => [
      {
        part,
        keyword: 'if',
        about: [schema],
        asks: { ' (then)': [part['then'] ?? true], ' (else)': [part['else'] ?? true] },
      },
    ]),
    ...of('not', (schema, part) => [{ part, keyword: 'not', about: [schema], asks: {} }]),
    ...['contains', 'propertyNames'].flatMap((keyword) =>
      of(keyword, (schema, part) => [
        { part, keyword, about: keyword, asks: { [` (${keyword})`]: [schema] } },
      ]),
    ),
    ...of('dependentSchemas', (value, part) =>
      members(value).map(([name, schema]) => {
        const about = `with ${canonical(name)}`;
        return { part, keyword: 'dependentSchemas', about, asks: { [` (${about})`]: [schema] } };
      }),
    ),
    ...of('dependentRequired', (value, part) =>
      members(value).flatMap(([name, needed]) =>
        texts(needed).map((other) => {
          const about = `${canonical(name)} only with ${canonical(other)}`;
          return { part, keyword: 'dependentRequired', about, asks: {} };
        }),
      ),
    ),
  ];
}

function same(comparison: Comparison, { before, after }: Pair<Condition>): boolean {
  if (before.keyword !== after.keyword) return false;
  if (typeof before.about === 'string' || typeof after.about === 'string') {
    return before.about === after.about;
  }
  const differences = comparison.inner('', { before: before.about, after: after.about });
  return differences.every(isRemark);
}

function compareAsked(comparison: Comparison, { before, after }: Pair<Condition>): Difference[] {
  return Object.entries(before.asks).flatMap(([path, schemas]) =>
    comparison.inner(path, { before: schemas, after: after.asks[path] ?? [] }),
  );
}

function differenceOf(
  comparison: Comparison,
  rule: 'condition-added' | 'condition-removed',
  { part, keyword, about }: Condition,
): Difference {
  const words = typeof about === 'string' ? about : `${keyword} ${canonical(about[0])}`;
  return rule === 'condition-added'
    ? difference(comparison, rule, { after: part, is: words }, keyword)
    : difference(comparison, rule, { before: part, was: words }, keyword);
}
