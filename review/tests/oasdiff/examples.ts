/** One pair of contracts for each check of oasdiff that is about what clients send, read or call. */
import { contract } from '../small-contract.js';
import { SCHEMA_CHANGES } from './schema-changes.js';

/** A pair of contracts as YAML. */
export type Example = readonly [before: string, after: string];

/** Returns the paths with one operation. */
const operation = (rest: string, path = '/a') => `{"${path}": {post: {operationId: a, ${rest}}}}`;
const OK = 'responses: {200: {description: a}}';
const request = (schema: string) => operation(`requestBody: {content: {a/b: {schema: ${schema}}}}, ${OK}`);
const response = (schema: string) => operation(`responses: {200: {content: {a/b: {schema: ${schema}}}}}`);
const field = (schema: string, required = '') => `{type: object, ${required}properties: {f: ${schema}}}`;
const parameter = (rest: string, where = 'query') => operation(`parameters: [{name: p, in: ${where}, ${rest}}], ${OK}`);
const header = (rest: string) => operation(`responses: {200: {headers: {X-A: {${rest}}}}}`);

/** The places where a schema stands: the beginning of the id, and the paths around the schema. */
const PLACES: Readonly<Record<string, (schema: string) => string>> = {
  'request-body': request,
  'request-property': (schema) => request(field(schema)),
  'request-read-only-property': (schema) => request(field(schema.replace('{', '{readOnly: true, '))),
  'request-parameter': (schema) => parameter(`schema: ${schema}`),
  'request-parameter-property': (schema) => parameter(`schema: ${field(schema)}`),
  'request-header-property': (schema) => parameter(`schema: ${field(schema)}`, 'header'),
  'response-body': response,
  'response-mediatype': response,
  'response-property': (schema) => response(field(schema)),
  'response-write-only-property': (schema) => response(field(schema.replace('{', '{writeOnly: true, '))),
  'response-header': (schema) => header(`schema: ${schema}`),
};

const REQUIRED = 'required: [f], ';
const TEXT = '{type: string}';
const PAST = "x-sunset: '2020-01-01'";
const LATER = "x-sunset: '2099-01-01'";
const LATEST = "x-sunset: '2099-12-31'";

/** Returns the examples of a flag of a field: `became-read-only` and its kin, of required and optional fields. */
function flagged(side: 'request' | 'response', around: (schema: string) => string): Record<string, Example> {
  const flags = { 'read-only': 'readOnly: true', 'write-only': 'writeOnly: true' };
  const entries = Object.entries({ required: REQUIRED, optional: '' }).flatMap(([need, required]) =>
    Object.entries(flags).flatMap(([name, flag]): [string, Example][] => {
      const [without, having] = [around(field(TEXT, required)), around(field(`{type: string, ${flag}}`, required))];
      return [
        [`${side}-${need}-property-became-${name}`, [without, having]],
        [`${side}-${need}-property-became-not-${name}`, [having, without]],
      ];
    }),
  );
  return Object.fromEntries(entries);
}

/** Returns the examples of the deprecation of a field. */
function deprecations(id: string, around: (schema: string) => string): Record<string, Example> {
  const [plain, dated] = [around(field(TEXT)), around(field(`{type: string, deprecated: true, ${LATER}}`))];
  const undated = around(field('{type: string, deprecated: true}'));
  return {
    [`${id}-deprecated`]: [plain, undated],
    [`${id}-deprecated-with-sunset`]: [plain, dated],
    [`${id}-reactivated`]: [dated, plain],
  };
}

const opened = (rest: string) => operation(`${rest}${rest && ', '}${OK}`);
const secured = (scopes: string) => operation(`security: [{k: [${scopes}]}], ${OK}`);
const none = operation(OK);

const OTHERS: Readonly<Record<string, Example>> = {
  ...flagged('request', request),
  ...flagged('response', response),
  ...deprecations('request-property', request),
  ...deprecations('response-property', response),

  'endpoint-added': ['{}', none],
  'endpoint-deprecated': [none, opened('deprecated: true')],
  'endpoint-deprecated-with-sunset': [none, opened(`deprecated: true, ${LATER}`)],
  'endpoint-reactivated': [opened('deprecated: true'), none],
  'api-path-removed-without-deprecation': [none, '{}'],
  'api-path-removed-with-deprecation': [opened(`deprecated: true, ${PAST}`), '{}'],
  'api-path-removed-before-sunset': [opened(`deprecated: true, ${LATER}`), '{}'],
  'api-removed-without-deprecation': [none, '{"/a": {}}'],
  'api-removed-with-deprecation': [opened(`deprecated: true, ${PAST}`), '{"/a": {}}'],
  'api-removed-before-sunset': [opened(`deprecated: true, ${LATER}`), '{"/a": {}}'],
  'api-sunset-date-changed-too-small': [opened(`deprecated: true, ${LATEST}`), opened(`deprecated: true, ${LATER}`)],
  'sunset-deleted': [opened(`deprecated: true, ${LATER}`), opened('deprecated: true')],
  'api-operation-id-added': [none.replace('operationId: a, ', ''), none],
  'api-operation-id-removed': [none, none.replace('operationId: a, ', '')],
  'api-tag-added': [none, opened('tags: [t]')],
  'api-tag-removed': [opened('tags: [t]'), none],
  'api-security-added': [secured('').replace('[{k: []}]', '[{k: []}]'), opened('security: [{k: []}, {l: []}]')],
  'api-security-removed': [opened('security: [{k: []}, {l: []}]'), secured('')],
  'api-security-scope-added': [secured('r'), secured('r, w')],
  'api-security-scope-removed': [secured('r, w'), secured('r')],
  'api-global-security-added': [none, `${none}\nsecurity: [{k: []}]`],
  'api-global-security-removed': [`${none}\nsecurity: [{k: []}]`, none],
  'api-global-security-scope-added': [`${none}\nsecurity: [{k: [r]}]`, `${none}\nsecurity: [{k: [r, w]}]`],
  'api-global-security-scope-removed': [`${none}\nsecurity: [{k: [r, w]}]`, `${none}\nsecurity: [{k: [r]}]`],
  'api-security-component-added': [none, scheme('type: http')],
  'api-security-component-removed': [scheme('type: http'), none],
  'api-security-component-type-changed': [scheme('type: http'), scheme('type: apiKey')],
  'api-security-component-oauth-url-changed': flow('authorizationUrl: /a', 'authorizationUrl: /b'),
  'api-security-component-oauth-token-url-changed': flow('tokenUrl: /a', 'tokenUrl: /b'),
  'api-security-component-oauth-scope-added': flow('scopes: {r: a}', 'scopes: {r: a, w: b}'),
  'api-security-component-oauth-scope-removed': flow('scopes: {r: a, w: b}', 'scopes: {r: a}'),
  'api-security-component-oauth-scope-changed': flow('scopes: {r: a}', 'scopes: {r: b}'),
  'api-schema-removed': [`${none}\ncomponents: {schemas: {S: {type: string}}}`, none],

  'new-optional-request-parameter': [none, parameter('schema: {type: string}')],
  'new-optional-request-default-parameter-to-existing-path': [none, parameter('schema: {type: string, default: a}')],
  'new-required-request-parameter': [none, parameter('required: true, schema: {type: string}')],
  'new-required-request-default-parameter-to-existing-path': [
    none,
    parameter('required: true, schema: {type: string, default: a}'),
  ],
  'new-request-path-parameter': [
    none,
    operation(`parameters: [{name: p, in: path, required: true, schema: {}}], ${OK}`, '/a/{p}'),
  ],
  'new-required-request-header-property': [
    parameter(`schema: {type: object}`, 'header'),
    parameter(`schema: ${field(TEXT, REQUIRED)}`, 'header'),
  ],
  'request-header-property-became-required': [
    parameter(`schema: ${field(TEXT)}`, 'header'),
    parameter(`schema: ${field(TEXT, REQUIRED)}`, 'header'),
  ],
  'request-parameter-became-optional': [parameter('required: true, schema: {}'), parameter('schema: {}')],
  'request-parameter-became-required': [parameter('schema: {}'), parameter('required: true, schema: {}')],
  'request-parameter-deprecated': [parameter('schema: {}'), parameter(`schema: {}, deprecated: true, ${LATER}`)],
  'request-parameter-reactivated': [parameter('schema: {}, deprecated: true'), parameter('schema: {}')],
  'request-parameter-removed': [parameter('schema: {}'), none],
  'request-parameter-removed-before-sunset': [parameter(`schema: {}, deprecated: true, ${LATER}`), none],
  'request-parameter-removed-with-deprecation': [parameter(`schema: {}, deprecated: true, ${PAST}`), none],
  'request-parameter-sunset-date-changed-too-small': [
    parameter(`schema: {}, deprecated: true, ${LATEST}`),
    parameter(`schema: {}, deprecated: true, ${LATER}`),
  ],
  'request-parameter-sunset-deleted': [
    parameter(`schema: {}, deprecated: true, ${LATER}`),
    parameter('schema: {}, deprecated: true'),
  ],

  'request-body-added-optional': [none, request(TEXT)],
  'request-body-added-required': [
    none,
    operation(`requestBody: {required: true, content: {a/b: {schema: ${TEXT}}}}, ${OK}`),
  ],
  'request-body-removed': [request(TEXT), none],
  'request-body-became-required': [
    request(TEXT),
    operation(`requestBody: {required: true, content: {a/b: {schema: ${TEXT}}}}, ${OK}`),
  ],
  'request-body-became-optional': [
    operation(`requestBody: {required: true, content: {a/b: {schema: ${TEXT}}}}, ${OK}`),
    request(TEXT),
  ],
  'request-body-media-type-added': [
    operation(`requestBody: {content: {a/b: {}}}, ${OK}`),
    operation(`requestBody: {content: {a/b: {}, a/c: {}}}, ${OK}`),
  ],
  'request-body-media-type-removed': [
    operation(`requestBody: {content: {a/b: {}, a/c: {}}}, ${OK}`),
    operation(`requestBody: {content: {a/b: {}}}, ${OK}`),
  ],
  'request-body-media-type-schema-added': [operation(`requestBody: {content: {a/b: {}}}, ${OK}`), request(TEXT)],
  'request-body-media-type-schema-removed': [request(TEXT), operation(`requestBody: {content: {a/b: {}}}, ${OK}`)],
  'new-optional-request-property': [request('{type: object}'), request(field(TEXT))],
  'new-required-request-property': [request('{type: object}'), request(field(TEXT, REQUIRED))],
  'new-required-request-property-with-default': [
    request('{type: object}'),
    request(field('{type: string, default: a}', REQUIRED)),
  ],
  'request-property-removed': [request(field(TEXT)), request('{type: object}')],
  'request-property-became-optional': [request(field(TEXT, REQUIRED)), request(field(TEXT))],
  'request-property-became-required': [request(field(TEXT)), request(field(TEXT, REQUIRED))],
  'request-property-became-required-with-default': [
    request(field('{type: string, default: a}')),
    request(field('{type: string, default: a}', REQUIRED)),
  ],

  'response-body-media-type-schema-added': [operation('responses: {200: {content: {a/b: {}}}}'), response(TEXT)],
  'response-body-media-type-schema-removed': [response(TEXT), operation('responses: {200: {content: {a/b: {}}}}')],
  'response-media-type-added': [
    operation('responses: {200: {content: {a/b: {}}}}'),
    operation('responses: {200: {content: {a/b: {}, a/c: {}}}}'),
  ],
  'response-media-type-removed': [
    operation('responses: {200: {content: {a/b: {}, a/c: {}}}}'),
    operation('responses: {200: {content: {a/b: {}}}}'),
  ],
  'response-media-type-name-changed': [
    operation('responses: {200: {content: {a/b: {}}}}'),
    operation('responses: {200: {content: {a/b; v=2: {}}}}'),
  ],
  'response-media-type-name-generalized': [
    operation('responses: {200: {content: {a/b: {}}}}'),
    operation('responses: {200: {content: {a/*: {}}}}'),
  ],
  'response-media-type-name-specialized': [
    operation('responses: {200: {content: {a/*: {}}}}'),
    operation('responses: {200: {content: {a/b: {}}}}'),
  ],
  'response-success-status-added': [none, operation('responses: {200: {description: a}, 201: {description: a}}')],
  'response-success-status-removed': [operation('responses: {200: {description: a}, 201: {description: a}}'), none],
  'response-non-success-status-added': [none, operation('responses: {200: {description: a}, 404: {description: a}}')],
  'response-non-success-status-removed': [operation('responses: {200: {description: a}, 404: {description: a}}'), none],
  'response-header-added': [none, header('schema: {}')],
  'optional-response-header-removed': [header('schema: {}'), none],
  'required-response-header-removed': [header('required: true, schema: {}'), none],
  'response-header-became-optional': [header('required: true, schema: {}'), header('schema: {}')],
  'response-optional-property-added': [response('{type: object}'), response(field(TEXT))],
  'response-optional-property-removed': [response(field(TEXT)), response('{type: object}')],
  'response-required-property-added': [response('{type: object}'), response(field(TEXT, REQUIRED))],
  'response-required-property-removed': [response(field(TEXT, REQUIRED)), response('{type: object}')],
  'response-property-became-optional': [response(field(TEXT, REQUIRED)), response(field(TEXT))],
  'response-property-became-required': [response(field(TEXT)), response(field(TEXT, REQUIRED))],
  ...writeOnly(),

  'webhook-added': ['{}', '{}\nwebhooks: {w: {post: {responses: {}}}}'],
  'webhook-removed': ['{}\nwebhooks: {w: {post: {responses: {}}}}', '{}'],
};

function writeOnly(): Record<string, Example> {
  const hidden = (required = '') => response(field('{type: string, writeOnly: true}', required));
  return {
    'response-optional-write-only-property-added': [response('{type: object}'), hidden()],
    'response-optional-write-only-property-removed': [hidden(), response('{type: object}')],
    'response-required-write-only-property-added': [response('{type: object}'), hidden(REQUIRED)],
    'response-required-write-only-property-removed': [hidden(REQUIRED), response('{type: object}')],
    'response-write-only-property-became-optional': [hidden(REQUIRED), hidden()],
    'response-write-only-property-became-required': [hidden(), hidden(REQUIRED)],
  };
}

function scheme(words: string): string {
  return `${none}\ncomponents: {securitySchemes: {k: {${words}}}}`;
}

function flow(before: string, after: string): Example {
  const of = (words: string) => scheme(`type: oauth2, flows: {authorizationCode: {${words}}}`);
  return [of(before), of(after)];
}

/** Returns the example of a check; undefined if it has none. */
export function exampleOf(id: string): Example | undefined {
  const [before, after] = OTHERS[id] ?? schemaExample(id) ?? [];
  return before === undefined || after === undefined ? undefined : [contract(before), contract(after)];
}

function schemaExample(id: string): Example | undefined {
  for (const [place, around] of Object.entries(PLACES)) {
    const change = id.startsWith(`${place}-`) ? SCHEMA_CHANGES[id.slice(place.length + 1)] : undefined;
    if (change) return [around(change[0]), around(change[1])];
  }
  return undefined;
}
