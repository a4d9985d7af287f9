import type { Rule } from '../rules.js';

/** Formats whose values are all valid in another format too (JSON Schema Validation, 7.3; OpenAPI 3.1, 4.4). */
const WITHIN: Readonly<Record<string, readonly string[]>> = {
  int32: ['int64', 'double'],
  float: ['double'],
  uri: ['uri-reference', 'iri', 'iri-reference'],
  'uri-reference': ['iri-reference'],
  iri: ['iri-reference'],
  email: ['idn-email'],
  hostname: ['idn-hostname'],
};

/** Returns the kind of a change of format; an empty text stands for no format. */
export function formatRule(before: string, after: string): Rule {
  if (before === '' || WITHIN[after]?.includes(before)) return 'format-narrowed';
  if (after === '' || WITHIN[before]?.includes(after)) return 'format-widened';
  return 'format-changed';
}
