import type { Difference } from '../finding.js';
import type { Rule } from '../rules.js';
import { type Comparison, difference, type Pair } from './comparison.js';
import type { Shape } from './shape.js';
import { says, statements } from './statements.js';
import { canonical } from './words.js';

/** Keywords that are compared elsewhere, or that do not affect the possible values. */
const NOT_HERE = new Set(
  `$ref $defs $comment $id $anchor $schema allOf oneOf anyOf not if then else dependentSchemas
  dependentRequired prefixItems items unevaluatedItems contains minContains maxContains properties
  patternProperties additionalProperties unevaluatedProperties propertyNames type nullable enum const
  multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems
  minItems uniqueItems maxProperties minProperties required format contentEncoding contentMediaType
  readOnly writeOnly title description example examples externalDocs deprecated default
  x-roster-message`.split(/\s+/),
);

/**
 * Compares the keywords whose change is notable but breaks nobody: deprecation, defaults, and unknown keywords.
 */
export function compareRemarks(comparison: Comparison, shapes: Pair<Shape>): Difference[] {
  const { before, after } = shapes;
  const found: Difference[] = [];
  if (says(before, 'deprecated', true) !== says(after, 'deprecated', true)) {
    const rule = says(after, 'deprecated', true) ? 'deprecated' : 'no-longer-deprecated';
    found.push(difference(comparison, rule, { before: before.parts[0], after: after.parts[0] }));
  }
  const others = [before, after].flatMap(({ parts }) => parts.flatMap((part) => Object.keys(part)));
  for (const keyword of new Set(['default', ...others])) {
    if (keyword !== 'default' && NOT_HERE.has(keyword)) continue;
    const rule: Rule = keyword === 'default' ? 'default-changed' : 'keyword-changed';
    const [old, now] = [statements(before, keyword), statements(after, keyword)];
    const [was, is] = [listed(old), listed(now)];
    if (was === is) continue;
    found.push(
      difference(comparison, rule, { before: old[0]?.part, after: now[0]?.part, was, is }, keyword),
    );
  }
  return found;
}

function listed(stated: readonly { value: unknown }[]): string {
  return [...new Set(stated.map(({ value }) => canonical(value)))].sort().join(' and ');
}
