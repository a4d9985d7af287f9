/** The kinds of finding, as GitHub's annotations name them. */
export type Severity = 'error' | 'warning' | 'notice';

/** A fault of a file, with every rule that found it. Its place is counted from 1, as editors do. */
export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly severity: Severity;
  readonly rules: readonly string[];
  readonly message: string;
  readonly remedy: string;
}

/** Formats findings as lines that editors and terminals lead to the place from, and their count. */
function list(findings: readonly Finding[], files: readonly string[]): string {
  const lines = findings.flatMap(({ file, line, column, severity, message, remedy, rules }) => [
    `${file}:${line}:${column}: ${severity}: ${oneLine(message)} [${rules.join(', ')}]`,
    ...(remedy ? [`    ${oneLine(remedy)}`] : []),
  ]);
  return `${[...lines, summary(findings, files)].join('\n')}\n`;
}

/** Says how many findings there are, and in which files. */
function summary(findings: readonly Finding[], files: readonly string[]): string {
  const counts = (['error', 'warning', 'notice'] as const).flatMap((severity) => {
    const { length } = findings.filter((finding) => finding.severity === severity);
    return length === 0 ? [] : [`${length} ${severity}${length === 1 ? '' : 's'}`];
  });
  return `${counts.join(', ') || 'Nothing found'} in ${new Intl.ListFormat('en').format(files)}.`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Formats findings as workflow commands, which GitHub shows beside the lines of a pull request. */
function annotations(findings: readonly Finding[], files: readonly string[]): string {
  const lines = findings.map(({ file, line, column, severity, message, remedy, rules }) => {
    const place = [`file=${property(file)}`, `line=${line}`, `col=${column}`];
    const title = `title=${property(rules.join(', '))}`;
    const text = remedy ? `${message}\n${remedy}` : message;
    return `::${severity} ${[...place, title].join(',')}::${data(text)}`;
  });
  return `${[...lines, summary(findings, files)].join('\n')}\n`;
}

function data(text: string): string {
  return text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}

function property(text: string): string {
  return data(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
}

/** The ways to print findings, by the name of the option `--format`. */
export const FORMATS = {
  text: list,
  github: annotations,
  json: (findings) => `${JSON.stringify(findings, null, 2)}\n`,
} satisfies Record<string, (findings: readonly Finding[], files: readonly string[]) => string>;

/** The remedies for what rules find. Rules of the project say them themselves, in `.spectral.yaml`. */
export const REMEDIES: Readonly<Record<string, string>> = {
  'contract/schema': 'Write the keyword as JSON Schema 2020-12 defines it.',
  'contract/shape': 'Write this part as the service needs it; another operation shows how.',
  'contract/rule-message': 'Use the same words at both places.',
  'contract/example': 'Correct the example, or the schema if the example is right.',

  'spectral/duplicated-entry-in-enum': 'Remove the second entry.',
  'spectral/info-contact': 'Add info.contact.',
  'spectral/info-description': 'Describe the API in info.description.',
  'spectral/info-license': 'Add info.license, with its SPDX identifier.',
  'spectral/invalid-ref': 'Correct the name, or add what it refers to.',
  'spectral/no-$ref-siblings': 'Remove what stands beside the $ref.',
  'spectral/array-items': 'Say in `items` what the array contains.',
  'spectral/typed-enum': 'List only values of the type, or correct the type.',
  'spectral/oas3-api-servers': 'Add `servers` with a relative URL, such as /.',
  'spectral/oas3-examples-value-or-externalValue': 'Give the example one of the two.',
  'spectral/oas3-parameter-description': 'Describe the parameter in a sentence.',
  'spectral/oas3-schema': 'Correct the part as OpenAPI 3.1 defines it: a name may be misspelt.',
  'spectral/oas3-server-trailing-slash': 'Remove the slash at the end.',
  'spectral/oas3-unused-component': 'Remove the component, or refer to it.',
  'spectral/openapi-tags': 'List the tags of all operations under `tags`.',
  'spectral/openapi-tags-uniqueness': 'Remove the second tag of that name.',
  'spectral/operation-description': 'Describe what the operation does.',
  'spectral/operation-operationId': 'Name the operation in camelCase, such as getSkill.',
  'spectral/operation-operationId-valid-in-url': 'Use letters and digits only.',
  'spectral/operation-parameters': 'Remove the second parameter of that name.',
  'spectral/operation-success-response': 'Add the response of success, such as 200.',
  'spectral/operation-tag-defined': 'Add the tag under `tags`, or correct its name.',
  'spectral/operation-tags': 'Give the operation its resource as the tag.',
  'spectral/path-declarations-must-exist': 'Name the parameter within the braces.',
  'spectral/path-keys-no-trailing-slash': 'Remove the slash at the end.',
  'spectral/path-not-include-query': 'Make the query a parameter with `in: query`.',
  'spectral/path-params':
    'Give each name in braces a parameter with `in: path` and `required: true`, and remove others.',
  'spectral/tag-description': 'Describe the tag.',

  'spectral/owasp:api2:2023-read-restricted': 'Name the scope that a key needs under `security`.',
  'spectral/owasp:api2:2023-write-restricted': 'Name the scope that a key needs under `security`.',
  'spectral/owasp:api3:2023-constrained-additionalProperties': 'Set a maxProperties.',
  'spectral/owasp:api3:2023-no-additionalProperties': 'Set additionalProperties to false.',
  'spectral/owasp:api4:2023-array-limit': 'Set a maxItems.',
  'spectral/owasp:api4:2023-integer-format': 'Set the format to int32 or int64.',
  'spectral/owasp:api4:2023-integer-limit': 'Set a minimum and a maximum.',
  'spectral/owasp:api4:2023-rate-limit': 'Add the RateLimit headers, as a similar response does.',
  'spectral/owasp:api4:2023-rate-limit-retry-after': 'Add the header Retry-After.',
  'spectral/owasp:api4:2023-rate-limit-responses-429': 'Document 429, as $ref TooManyRequests.',
  'spectral/owasp:api4:2023-string-limit': 'Set a maxLength, or a format, const or enum.',
  'spectral/owasp:api8:2023-define-error-responses-401': 'Document 401, as $ref Unauthorized.',
  'spectral/owasp:api8:2023-define-error-responses-500': 'Document 500, as $ref InternalError.',
  'spectral/owasp:api8:2023-define-error-validation': 'Document 400, as $ref InvalidParameters.',
};
