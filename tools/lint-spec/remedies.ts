/** The remedies for what rules find. Rules of the project say them themselves, in `.spectral.yaml`. */
const REMEDIES: Readonly<Record<string, string>> = {
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
  'spectral/oas3-valid-media-example':
    'Correct the example, or the schema if the example is right.',
  'spectral/oas3-valid-schema-example':
    'Correct the example, or the schema if the example is right.',
  'spectral/openapi-tags': 'List the tags of all operations under `tags`.',
  'spectral/openapi-tags-uniqueness': 'Remove the second tag of that name.',
  'spectral/operation-description': 'Describe what the operation does.',
  'spectral/operation-operationId': 'Name the operation in camelCase, such as getSkill.',
  'spectral/operation-operationId-unique': 'Rename one of the two operations.',
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
  'spectral/owasp:api4:2023-string-restricted': 'Set a pattern, or a format, const or enum.',
  'spectral/owasp:api8:2023-define-error-responses-401': 'Document 401, as $ref Unauthorized.',
  'spectral/owasp:api8:2023-define-error-responses-500': 'Document 500, as $ref InternalError.',
  'spectral/owasp:api8:2023-define-error-validation': 'Document 400, as $ref InvalidParameters.',

  'redocly/no-ambiguous-paths': 'Rename one of the paths, so that an address fits only one.',
  'redocly/no-enum-type-mismatch': 'List only values of the type, or correct the type.',
  'redocly/no-identical-paths': 'Merge the paths: only the names of their parameters differ.',
  'redocly/no-invalid-media-type-examples':
    'Correct the example, or the schema if the example is right.',
  'redocly/no-required-schema-properties-undefined':
    'Add the property, or remove it from `required`.',
  'redocly/no-schema-type-mismatch': 'Remove the keyword, or correct the type.',
  'redocly/no-unresolved-refs': 'Correct the name, or add what it refers to.',
  'redocly/operation-4xx-response': 'Document an error, such as 400.',
  'redocly/operation-summary': 'Add a summary of at most six words.',
  'redocly/path-parameters-defined':
    'Give each name in braces a parameter with `in: path`, and remove others.',
  'redocly/security-defined': 'Define the scheme under components.securitySchemes.',
  'redocly/struct': 'Correct the part as its specification defines it: a name may be misspelt.',
};

/** Returns how to fix what a rule finds; empty if the rule's message has to do. */
export function remedyFor(rule: string): string {
  return REMEDIES[rule] ?? '';
}
