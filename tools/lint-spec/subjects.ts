/**
 * The rules of several reviewers that find the same fault, by its subject. Rules of the same name find the same
 * fault, too.
 */
const SUBJECTS: Readonly<Record<string, readonly string[]>> = {
  reference: [
    'contract/reference',
    'spectral/invalid-ref',
    'redocly/no-unresolved-refs',
    // A security scheme is referred to by its name.
    'redocly/security-defined',
  ],
  example: [
    'contract/example',
    'spectral/oas3-valid-media-example',
    'spectral/oas3-valid-schema-example',
    'redocly/no-invalid-media-type-examples',
    'redocly/no-invalid-schema-examples',
    'redocly/no-invalid-parameter-examples',
  ],
  structure: [
    'contract/schema',
    'contract/shape',
    'spectral/oas3-schema',
    'redocly/struct',
    'redocly/spec',
    'redocly/no-schema-type-mismatch',
  ],
  operationId: [
    'contract/operation',
    'spectral/operation-operationId-unique',
    'redocly/operation-operationId-unique',
  ],
  'path-parameters': [
    'spectral/path-params',
    'redocly/path-parameters-defined',
    'redocly/path-declaration-must-exist',
  ],
  description: [
    'spectral/roster-described',
    'spectral/oas3-parameter-description',
    'redocly/parameter-description',
  ],
  tags: ['spectral/roster-operation-one-tag', 'spectral/operation-tags'],
  'defined-tags': ['spectral/operation-tag-defined', 'redocly/operation-tag-defined'],
  'error-response': ['spectral/roster-operation-400', 'redocly/operation-4xx-response'],
  licence: ['spectral/info-license', 'redocly/info-license'],
  'trailing-slash': ['spectral/path-keys-no-trailing-slash', 'redocly/no-path-trailing-slash'],
};

const SUBJECT_OF = new Map(
  Object.entries(SUBJECTS).flatMap(([subject, rules]) => rules.map((rule) => [rule, subject])),
);

/** Returns what a rule is about: the same for rules of several reviewers that find the same fault. */
export function subjectOf(rule: string): string {
  return SUBJECT_OF.get(rule) ?? rule.slice(rule.indexOf('/') + 1);
}
