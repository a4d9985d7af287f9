/** Tests of changes of operations, parameters, responses and keys, with the parties that they break. */
import { describe, expect, test } from 'vitest';
import { ContractFault, readContract } from '../src/contract.js';
import { reviewContracts } from '../src/review.js';
import { broken, contract, review, summarize } from './small-contract.js';

const GET = (rest: string, path = '/things') =>
  `{${JSON.stringify(path)}: {get: {operationId: look, responses: {200: {description: a}}, ${rest}}}}`;
const ANSWER = (response: string) => `{/things: {get: {operationId: look, responses: {${response}}}}}`;
const BODY = (body: string) => `{/things: {post: {operationId: save, ${body} responses: {204: {description: a}}}}}`;
const JSON_BODY = 'content: {application/json: {schema: {type: string}}}';

const HOOK = (schema: string) =>
  `{}\nwebhooks: {made: {post: {requestBody: {content: {a/b: {schema: {type: object, ${schema}}}}}, responses: {}}}}`;
const CALLBACK = (callbacks: string) => GET(`callbacks: {${callbacks}}`);
const ANSWERED = (schema: string) =>
  `done: {"{$url}": {post: {responses: {200: {content: {a/b: {schema: ${schema}}}}}}}}`;

type Row = readonly [name: string, before: string, after: string, there: string, back: string];

// biome-ignore format: one behaviour a line is read more easily.
const ROWS: readonly Row[] = [
  ['an operation is removed', GET(''), '{}', 'operation-removed (caller) look', 'operation-added (caller) look'],
  ['an operationId changes', GET('').replace('look', 'see'), GET(''), 'operation-renamed (caller) look', 'operation-renamed (caller) see'],
  ['an address changes', GET(''), GET('', '/stuff'), 'operation-moved (caller) look', 'operation-moved (caller) look'],
  ['a method changes', GET(''), GET('').replace('get:', 'put:'), 'operation-moved (caller) look', 'operation-moved (caller) look'],
  ['a parameter of the address is renamed', GET('', '/{a}'), GET('', '/{b}'), 'path-parameter-renamed (caller) look', 'path-parameter-renamed (caller) look'],
  ['an operation is deprecated', GET(''), GET('deprecated: true'), 'deprecated (caller) look', 'no-longer-deprecated (caller) look'],

  ['an optional parameter is added', GET(''), GET('parameters: [{name: a, in: query, schema: {}}]'), 'parameter-added (sender) look query a', 'parameter-removed (sender) look query a'],
  ['a required parameter is added', GET(''), GET('parameters: [{name: a, in: query, required: true, schema: {}}]'), 'required-parameter-added (sender) look query a', 'parameter-removed (sender) look query a'],
  ['a parameter becomes required', GET('parameters: [{name: a, in: query, schema: {}}]'), GET('parameters: [{name: a, in: query, required: true, schema: {}}]'), 'required-now (sender) look query a', 'optional-now (sender) look query a'],
  ['a parameter is narrowed', GET('parameters: [{name: a, in: query, schema: {type: integer}}]'), GET('parameters: [{name: a, in: query, schema: {type: integer, minimum: 1}}]'), 'bound-tightened (sender) look query a', 'bound-loosened (sender) look query a'],
  ['a parameter changes its serialization', GET('parameters: [{name: a, in: query, schema: {}}]'), GET('parameters: [{name: a, in: query, explode: false, schema: {}}]'), 'parameter-serialization-changed (sender) look query a', 'parameter-serialization-changed (sender) look query a'],
  ['a header in capitals is the same', GET('parameters: [{name: if-match, in: header, schema: {}}]'), GET('parameters: [{name: If-Match, in: header, schema: {}}]'), '', ''],
  ['the same style, written out', GET('parameters: [{name: a, in: query, schema: {}}]'), GET('parameters: [{name: a, in: query, style: form, explode: true, schema: {}}]'), '', ''],

  ['the default of a parameter changes', GET('parameters: [{name: a, in: query, schema: {default: 1}}]'), GET('parameters: [{name: a, in: query, schema: {default: 2}}]'), 'default-changed (sender) look query a', 'default-changed (sender) look query a'],
  ['a parameter gets a default', GET('parameters: [{name: a, in: query, schema: {}}]'), GET('parameters: [{name: a, in: query, schema: {default: 2}}]'), 'default-changed (sender) look query a', 'default-changed (sender) look query a'],
  ['the first tag changes', GET('tags: [a, b]'), GET('tags: [b, a]'), 'first-tag-changed (caller) look', 'first-tag-changed (caller) look'],
  ['a further tag changes', GET('tags: [a, b]'), GET('tags: [a]'), '', ''],

  ['a webhook is removed', HOOK(''), '{}', 'webhook-removed (reader) webhook made POST', 'webhook-added (reader) webhook made POST'],
  ['a webhook sends one field less', HOOK('required: [a], properties: {a: {}}'), HOOK('properties: {a: {}}'), 'optional-now (reader) webhook made POST body.a', 'required-now (reader) webhook made POST body.a'],
  ['a callback is removed', CALLBACK('done: {"{$url}": {post: {responses: {}}}}'), CALLBACK(''), 'webhook-removed (reader) look callback done {$url} POST', 'webhook-added (reader) look callback done {$url} POST'],
  ['a callback expects another answer', CALLBACK(ANSWERED('{type: string}')), CALLBACK(ANSWERED('{type: integer}')), 'type-changed (sender) look callback done {$url} POST 200 body', 'type-changed (sender) look callback done {$url} POST 200 body'],

  ['an optional body is added', BODY(''), BODY(`requestBody: {${JSON_BODY}},`), 'body-added (sender) save body', 'body-removed (sender) save body'],
  ['a required body is added', BODY(''), BODY(`requestBody: {required: true, ${JSON_BODY}},`), 'required-body-added (sender) save body', 'body-removed (sender) save body'],
  ['a media type is removed', BODY('requestBody: {content: {a/b: {}, a/c: {}}},'), BODY('requestBody: {content: {a/b: {}}},'), 'media-type-removed (sender) save body', 'media-type-added (sender) save body'],
  ['a smaller body is allowed', BODY(`requestBody: {x-roster-max-body: 9, ${JSON_BODY}},`), BODY(`requestBody: {x-roster-max-body: 5, ${JSON_BODY}},`), 'bound-tightened (sender) save body', 'bound-loosened (sender) save body'],

  ['a status is removed', ANSWER('200: {description: a}, 404: {description: a}'), ANSWER('200: {description: a}'), 'error-status-removed (reader) look 404', 'status-added (reader) look 404'],
  ['a status of success is removed', ANSWER('200: {description: a}, 201: {description: a}'), ANSWER('200: {description: a}'), 'status-removed (reader) look 201', 'status-added (reader) look 201'],
  ['a media type of an answer is removed', ANSWER('200: {content: {a/b: {}, a/c: {}}}'), ANSWER('200: {content: {a/b: {}}}'), 'media-type-removed (reader) look 200 body', 'media-type-added (reader) look 200 body'],
  ['the body of an answer is removed', ANSWER('200: {content: {a/b: {}}}'), ANSWER('200: {description: a}'), 'body-removed (reader) look 200 body', 'body-added (reader) look 200 body'],
  ['a header is removed', ANSWER('200: {headers: {ETag: {}}}'), ANSWER('200: {description: a}'), 'header-removed (reader) look 200 header ETag', 'header-added (reader) look 200 header ETag'],
  ['a header becomes optional', ANSWER('200: {headers: {ETag: {required: true}}}'), ANSWER('200: {headers: {ETag: {}}}'), 'optional-now (reader) look 200 header ETag', 'required-now (reader) look 200 header ETag'],
  ['a link is removed', ANSWER('200: {links: {next: {operationId: look}}}'), ANSWER('200: {description: a}'), 'link-removed (reader) look 200 link next', 'link-added (reader) look 200 link next'],
  ['a link changes its target', ANSWER('200: {links: {next: {operationId: look}}}'), ANSWER('200: {links: {next: {operationId: see}}}'), 'link-changed (reader) look 200 link next', 'link-changed (reader) look 200 link next'],

  ['a key is required', GET(''), GET('security: [{key: [read]}]'), 'security-tightened (sender) look security', 'security-loosened (sender) look security'],
  ['another scope is required', GET('security: [{key: [read]}]'), GET('security: [{key: [write]}]'), 'security-tightened (sender) look security', 'security-tightened (sender) look security'],
  ['an additional scope is required', GET('security: [{key: [read]}]'), GET('security: [{key: [read, write]}]'), 'security-tightened (sender) look security', 'security-loosened (sender) look security'],
  ['either of two keys is accepted', GET('security: [{key: []}]'), GET('security: [{key: []}, {token: []}]'), 'security-loosened (sender) look security', 'security-tightened (sender) look security'],
];

describe.each(ROWS)('%s', (_, before, after, there, back) => {
  const list = (rule: string) => (rule ? [rule] : []);
  test('has the expected findings', () => {
    expect(summarize(review(contract(before), contract(after)))).toEqual(list(there));
  });
  test('has the expected findings in reverse', () => {
    expect(summarize(review(contract(after), contract(before)))).toEqual(list(back));
  });
});

test('an operation without an operationId is named by its address', () => {
  const paths = '{/things: {get: {responses: {200: {description: a}}}}}';
  expect(summarize(review(contract(paths), contract('{}')))).toEqual(['operation-removed (caller) GET /things']);
});

test("the document's security applies to each operation without its own", () => {
  const open = contract(GET(''));
  const closed = contract(GET(''), 'security: [{key: []}]');
  expect(summarize(review(open, closed))).toEqual(['security-tightened (sender) look security']);
});

test('a security scheme with another location breaks callers', () => {
  const scheme = (place: string) =>
    contract(GET(''), `components: {securitySchemes: {key: {type: apiKey, name: k, in: ${place}}}}`);
  expect(broken(review(scheme('header'), scheme('query')))).toEqual(['caller']);
});

test('a removed server breaks callers, and an added one breaks nobody', () => {
  const one = contract(GET(''), 'servers: [{url: /}]');
  const two = contract(GET(''), 'servers: [{url: /}, {url: /api}]');
  expect(broken(review(two, one))).toEqual(['caller']);
  expect(broken(review(one, two))).toEqual([]);
});

test('the servers of an address are compared with those of the document, where it had none', () => {
  const item = (servers: string) =>
    contract(GET('').replace('get:', `${servers} get:`), 'servers: [{url: /}, {url: /api}]');
  const none = item('');
  const fewer = item('servers: [{url: /}],');
  const dates = "{deprecated: '2026-11-23', sunset: '2027-11-23'}";
  const deprecated = item(`servers: [{url: /}, {url: /api, x-roster-sunset: ${dates}}],`);
  expect(summarize(review(none, fewer))).toEqual(['server-removed (caller) look']);
  expect(summarize(review(fewer, none))).toEqual(['server-added (caller) look']);
  expect(summarize(review(none, deprecated))).toEqual(['deprecated (caller) look server /api']);
  expect(summarize(review(none, item('servers: [{url: /api}, {url: /}],')))).toEqual([]);
});

test('a shared response that belongs to no operation is compared too', () => {
  const shared = (status: string) =>
    contract(GET(''), `components: {responses: {Unknown: {content: {a/b: {schema: {const: ${status}}}}}}}`);
  expect(summarize(review(shared('404'), shared('410')))).toEqual([
    'value-added (reader) response Unknown body',
    'value-removed (reader) response Unknown body',
  ]);
});

test('a change of a shared schema is reported once, with all of its places', () => {
  const both = (type: string) =>
    contract(
      `{/a: {get: {operationId: a, responses: {200: {content: {a/b: {schema: {$ref: "#/components/schemas/S"}}}}}}},
        /b: {get: {operationId: b, responses: {200: {$ref: "#/components/responses/R"}}}}}`,
      `components: {schemas: {S: {type: ${type}}}, responses: {R: {content: {a/b: {schema: {$ref: "#/components/schemas/S"}}}}}}`,
    );
  const { breaking } = review(both('string'), both('[string, "null"]'));
  expect(breaking.reader).toEqual([
    {
      rule: 'null-added',
      party: 'reader',
      was: 'string',
      is: 'string or null',
      places: ['a 200 body', 'b 200 body'],
      pointers: ['/components/schemas/S'],
    },
  ]);
});

describe('a sunset is a promise', () => {
  const DAY = '2026-11-29';
  const compare = (before: string, after: string) =>
    summarize(
      reviewContracts({
        before: readContract(contract(before), 'the old version', { day: DAY }),
        after: readContract(contract(after), 'the new version', { day: DAY }),
      }),
    );
  const until = (sunset: string) =>
    `deprecated: true, x-roster-sunset: {deprecated: '2026-01-01', sunset: '${sunset}'}`;
  const parameter = (rest: string) => GET(`parameters: [{name: a, in: query, schema: {}, ${rest}}]`);
  const field = (rest: string) =>
    BODY(`requestBody: {content: {a/b: {schema: {additionalProperties: false, properties: {a: {${rest}}}}}}},`);
  const noField = BODY('requestBody: {content: {a/b: {schema: {additionalProperties: false}}}},');

  test.each([
    ['an operation', GET(until('2027-01-01')), '{}', 'operation-removed (caller) look'],
    ['a parameter', parameter(until('2027-01-01')), GET(''), 'parameter-removed (sender) look query a'],
    ['a field', field(until('2027-01-01')), noField, 'field-removed (sender) save body.a'],
  ])('%s may not go before it', (_, before, after, found) => {
    expect(compare(before, after)).toEqual([found]);
  });

  test.each([
    ['an operation', GET(until('2026-11-29')), '{}', 'retired (caller) look'],
    [
      'an operation, as oasdiff writes it',
      GET("deprecated: true, x-sunset: '2026-11-29'"),
      '{}',
      'retired (caller) look',
    ],
    ['a parameter', parameter(until('2026-11-29')), GET(''), 'retired (sender) look query a'],
    ['a field', field(until('2026-11-29')), noField, 'retired (sender) save body.a'],
  ])('%s may go once it has passed', (_, before, after, found) => {
    expect(compare(before, after)).toEqual([found]);
    expect(broken(review(contract(before), contract(after)))).toEqual([]);
  });

  test('it may move later, and neither nearer nor away', () => {
    const [early, late] = [GET(until('2027-01-01')), GET(until('2027-06-01'))];
    expect(compare(early, late)).toEqual(['sunset-extended (caller) look']);
    expect(compare(late, early)).toEqual(['sunset-shortened (caller) look']);
    expect(compare(late, GET('deprecated: true'))).toEqual(['sunset-removed (caller) look']);
    expect(compare(late, GET(''))).toEqual(['no-longer-deprecated (caller) look']);
    expect(compare(field(until('2027-06-01')), field(until('2027-01-01')))).toEqual([
      'sunset-shortened (sender) save body.a',
    ]);
    expect(broken(review(contract(late), contract(early)))).toEqual(['caller']);
  });
});

describe('a version announces breaking changes', () => {
  const announced = (before: string, after: string, breaking = true) => {
    const [old, now] = [contract(GET(''), '', before), contract(breaking ? '{}' : GET(''), '', after)];
    return review(old, now).announced;
  };

  test.each([
    ['1.2.3', '2.0.0', true],
    ['1.2.3', '1.3.0', false],
    ['1.2.3', '1.2.3', false],
    ['0.1.0', '0.2.0', true],
    ['0.1.0', '1.0.0', true],
    ['0.1.0', '0.1.1', false],
    ['0.10.0', '0.9.0', false],
    ['2.0.0-rc.1', '2.0.0', true],
    ['2.0.0-rc.1', '2.0.0-rc.1', false],
    ['2026-11-01', '2026-11-29', true],
    ['2026-11-29', '2026-11-29', false],
    ['v1', 'v2', true],
    ['1.0', '1.0', false],
  ])('%s to %s: %s', (before, after, enough) => {
    expect(announced(before, after).breaksAnnounced).toBe(enough);
  });

  test('and needs no increment if nothing breaks', () => {
    expect(announced('1.0.0', '1.0.0', false)).toMatchObject({ breaksAnnounced: true, needed: '1.0.0' });
  });

  test('and the review gives the required version', () => {
    expect(announced('1.2.3', '1.2.4').needed).toBe('2.0.0');
    expect(announced('0.1.0', '0.1.0').needed).toBe('0.2.0');
  });
});

describe('a faulty contract is reported with its position', () => {
  const fault = (text: string) => {
    try {
      review(contract(GET('')), text);
      return 'none';
    } catch (error) {
      if (error instanceof ContractFault) return error.message;
      throw error;
    }
  };

  test.each([
    ['YAML that ends too soon', 'openapi: 3.1.0\npaths: [', 'the new version, line 2: unexpected end'],
    ['a key twice', 'a: 1\na: 2', 'the new version, line 2: duplicated'],
    ['nothing at all', '', 'the new version: expected a document'],
    ['no OpenAPI', 'a: 1', 'the new version: /openapi: '],
    ['OpenAPI 2', 'swagger: "2.0"\nopenapi: "2.0"\ninfo: {version: 1.0.0}', '/openapi: is not 3.x'],
    ['no version', 'openapi: 3.1.0\ninfo: {title: a}', '/info/version: '],
    ['a version that is a list', 'openapi: 3.1.0\ninfo: {version: [1]}', '/info/version: is neither text nor a number'],
    [
      'a reference to nothing',
      'openapi: 3.1.0\ninfo: {version: 1.0.0}\npaths:\n  /a:\n    $ref: "#/components/pathItems/A"',
      'the new version, line 5: /paths/~1a/$ref: $ref #/components/pathItems/A leads to nothing',
    ],
    [
      'a reference to another file',
      'openapi: 3.1.0\ninfo: {version: 1.0.0}\npaths: {/a: {$ref: "a.yaml"}}',
      'leads to another file, and no files were given',
    ],
    [
      'a reference that leads back to itself',
      'openapi: 3.1.0\ninfo: {version: 1.0.0}\ncomponents: {schemas: {A: {$ref: "#/components/schemas/A"}}}',
      'leads back to itself',
    ],
  ])('%s', (_, text, words) => expect(fault(text)).toContain(words));

  test('but not a `$ref` in an example, nor a field of that name', () => {
    const text = contract(
      '{}',
      'components: {schemas: {A: {properties: {$ref: {type: string}}, example: {$ref: nowhere}}}}',
    );
    expect(fault(text)).toBe('none');
  });
});
