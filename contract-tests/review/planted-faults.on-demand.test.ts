/**
 * Tests that each fault that a contract may have is found, and by which reviewer. A rule that never fires guards nothing, nor
 * does a house rule that always fires. `tools/generator/contract-faults.rest.test.ts` has the faults of references, schemas
 * and examples, which the generator finds.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dump, load } from 'js-yaml';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asRecord } from '../../contract/json-record.js';
import { escapeToken, splitPointer, valueAt } from '../../contract/pointer.js';
import { readYaml } from '../../contract/yaml.js';
import { document } from '../../testkit/openapi/document.js';
import { root } from '../../testkit/root.js';
import { DRAFT } from '../../tools/generator/handlers.js';
import type { Finding } from '../../tools/lint-spec/finding.js';
import { reviewContract, reviewOther } from '../../tools/lint-spec/review-file.js';

/** A fault: the rule that finds it, and the part that has it, with its value; without one, the part is removed. It
 * may be found elsewhere. */
type Fault = readonly [rule: string, part: string, value?: unknown, found?: string];

const LIST = '/paths/~1projects/get';
const CREATE = '/paths/~1projects/post';
const LIVE = '/paths/~1health~1live/get';
const READ = '/paths/~1projects~1{project_name}/get';
const SCHEMAS = '/components/schemas';
const TEXT = { description: 'A text.', type: 'string', enum: ['a'] };
const NUMBER = { description: 'A number.', type: 'integer', format: 'int32', maximum: 9 };
const NAMED = { name: 'a', in: 'query', description: 'A text.', schema: TEXT };

/** Returns a path whose only operation is a copy of `listProjects`. */
const path = (operationId: string, more: object = {}) => ({
  ...more,
  get: { ...asRecord(Object(document)['paths']['/projects'].get), operationId },
});

const FAULTS: Fault[] = [
  ['spectral/roster-operation-id-camel-case', `${LIST}/operationId`, 'list-projects'],
  ['spectral/roster-summary-short', `${LIST}/summary`, 'List all of the projects that there are'],
  ['spectral/roster-summary-short', `${READ}/summary`],
  ['spectral/roster-operation-one-tag', `${LIST}/tags`, ['projects', 'skills']],
  ['spectral/roster-scope', `${LIST}/security`, [{ apiKey: ['admin'] }]],
  ['spectral/roster-get-without-body', `${LIST}/requestBody`, { content: {} }],
  ['spectral/roster-path-names-resources', '/paths/~1fetchProjects', path('fetchProjects')],
  ['spectral/roster-path-names-resources', '/paths/~1projects~1delete_all', path('deleteAll')],
  ['spectral/roster-field-snake-case', `${SCHEMAS}/Skill/properties/displayName`, TEXT],
  ['spectral/roster-parameter-snake-case', '/components/parameters/SortBy', { ...NAMED, name: 'sortBy' }],
  ['spectral/roster-header-of-scheme', '/components/parameters/Key', { ...NAMED, in: 'header', name: 'Authorization' }],
  ['spectral/roster-typed-schema', `${SCHEMAS}/Skill/properties/anything`, { description: 'A thing.' }],
  ['spectral/roster-created-links', `${CREATE}/responses/201/links`],
  ['spectral/roster-create-idempotency-key', `${CREATE}/parameters`, []],
  ['spectral/roster-operation-400', `${LIVE}/responses/400`],
  ['spectral/roster-operation-406', `${LIVE}/responses/406`],
  ['spectral/roster-body-413', `${CREATE}/responses/413`],
  ['spectral/roster-body-415', `${CREATE}/responses/415`],
  ['spectral/roster-named-examples', `${CREATE}/requestBody/content/application~1json/examples`],
  ['spectral/roster-example-summary', '/components/examples/Skill/summary'],
  ['spectral/roster-request-id', '/components/responses/Deleted/headers/X-Request-Id'],
  ['spectral/roster-created-location', `${CREATE}/responses/201/headers/Location`],
  [
    'spectral/roster-errors-are-problems',
    '/components/responses/UnknownAgent/content/application~1json',
    { examples: { taken: { summary: 'Taken', value: {} } } },
  ],
  ['spectral/roster-problem-has-page', `${SCHEMAS}/NameTaken/description`, 'The name is taken.'],
  ['spectral/roster-sunset', `${SCHEMAS}/DeprecatedParams/x-roster-sunset`],
  ['spectral/roster-described', `${SCHEMAS}/FieldErrors/description`],
  ['spectral/roster-schemes', '/components/securitySchemes/apiKeyHeader'],
  ['spectral/roster-choices', `${SCHEMAS}/OneChoice`, { ...TEXT, oneOf: [TEXT] }],
  ['spectral/roster-choices', `${SCHEMAS}/SameChoices`, { ...TEXT, anyOf: [TEXT, TEXT] }],
  ['spectral/roster-stored-text', `${SCHEMAS}/OptionalText/pattern`],
  ['spectral/roster-keywords-of-type', `${SCHEMAS}/ItemsOfText`, { ...TEXT, items: TEXT }],
  ['spectral/roster-keywords-of-type', `${SCHEMAS}/LeastText`, { ...TEXT, minimum: 5 }],
  ['spectral/roster-keywords-of-type', `${SCHEMAS}/LongNumber`, { ...NUMBER, maxLength: 5 }],

  ['spectral/info-description', '/info/description'],
  ['spectral/info-license', '/info/license'],
  ['spectral/oas3-schema', '/info/title'],
  ['spectral/oas3-api-servers', '/servers', []],
  ['spectral/openapi-tags-uniqueness', '/tags/3/name', 'projects'],
  ['spectral/tag-description', '/tags/0/description'],
  ['spectral/oas3-schema', '/components/schema', {}],
  ['spectral/oas3-schema', `${SCHEMAS}/Two words`, TEXT],
  ['spectral/oas3-schema', `${LIVE}/sumary`, 'Is it alive?'],
  ['spectral/oas3-schema', '/components/parameters/NoSchema', { ...NAMED, schema: undefined }],
  ['spectral/oas3-schema', '/components/parameters/NoPlace', { ...NAMED, in: 'body' }],
  ['spectral/oas3-schema', `${LIST}/responses/200/description`],
  ['spectral/oas3-schema', `${SCHEMAS}/Nullable`, { ...TEXT, nullable: true }],
  ['spectral/oas3-schema', `${SCHEMAS}/Misspelt`, { ...TEXT, maxlength: 3 }],
  ['spectral/oas3-unused-component', '/components/parameters/Unused', NAMED],
  [
    'spectral/oas3-examples-value-or-externalValue',
    '/components/examples/Both',
    { summary: 'A', value: 5, externalValue: '/a' },
  ],
  ['spectral/typed-enum', `${SCHEMAS}/EnumOfTypes`, { ...TEXT, enum: ['a', 5] }],
  ['spectral/duplicated-entry-in-enum', `${SCHEMAS}/EnumTwice`, { ...TEXT, enum: ['a', 'a'] }],
  ['spectral/array-items', `${SCHEMAS}/NoItems`, { ...TEXT, type: 'array' }],
  ['spectral/operation-description', `${READ}/description`],
  ['spectral/operation-parameters', '/components/parameters/Cursor/name', 'limit'],
  ['spectral/operation-success-response', '/paths/~1health~1ready/get/responses/200'],
  ['spectral/operation-tag-defined', `${READ}/tags`, ['project']],
  ['spectral/path-declarations-must-exist', '/paths/~1empty~1{}', path('empty')],
  ['spectral/path-keys-no-trailing-slash', '/paths/~1slash~1', path('slash')],
  ['spectral/path-not-include-query', '/paths/~1query?x=1', path('query')],
  ['spectral/path-params', '/paths/~1undeclared~1{name}', path('undeclared')],
  ['spectral/path-params', '/paths/~1twice~1{other}', path('twice')],
  ['spectral/owasp:api4:2023-string-limit', `${SCHEMAS}/Long`, { ...TEXT, enum: undefined }],
  ['spectral/owasp:api4:2023-integer-limit', `${SCHEMAS}/Small`, NUMBER],

  ['contract/shape', `${LIVE}/security`, [{ apiKy: [] }]],
  ['contract/operation', '/components/links/ToNothing', { operationId: 'nothing' }],
  ['contract/operation', '/paths/~1{any}~1fixed', path('fixed')],
  [
    'contract/example',
    '/components/headers/RequestId/schema/maxLength',
    2,
    '/components/headers/RequestId/examples/id/value',
  ],
  ['contract/example', `${SCHEMAS}/Default`, { ...TEXT, default: 5 }],
];

/** Faults of the tour. That a criterion asks for an output that a step does not have, `npm run tour` finds. */
const STEPS = '/workflows/0/steps';
const TOUR: Fault[] = [
  ['spectral/arazzo-document-schema', '/info/version'],
  ['spectral/arazzo-document-schema', '/sourceDescriptions/0/url'],
  ['spectral/arazzo-document-schema', `${STEPS}/0/summry`, 'List the projects.'],
  ['spectral/arazzo-document-schema', `${STEPS}/3/successCriteria/0/condition`],
  ['spectral/arazzo-workflow-stepId-unique', `${STEPS}/1/stepId`, 'list-projects', ''],
  ['spectral/arazzo-step-validation', `${STEPS}/2/operationId`, '$sourceDescriptions.other.a'],
  [
    'spectral/arazzo-step-parameters-validation',
    `${STEPS}/4/parameters/1`,
    { name: 'project_name', in: 'path', value: 'a' },
  ],
  ['spectral/arazzo-step-output-validation', `${STEPS}/1/outputs/skill`, 'nothing'],
  ['spectral/arazzo-step-description', `${STEPS}/5/description`],
];

/** Faults of the interface of chat servers. */
const CHAT: Fault[] = [
  ['spectral/invalid-ref', `${SCHEMAS}/ToNothing`, { $ref: '#/components/schemas/Nothing' }],
  ['spectral/oas3-schema', `${SCHEMAS}/OfNoType`, { type: 'strnig' }],
  ['spectral/oas3-schema', '/paths/~1chat~1completions/post/sumary', 'Answer.'],
];
const CHAT_EXAMPLES: Fault[] = [['contract/example', `${SCHEMAS}/Example`, { type: 'string', examples: [5] }]];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roster-planted-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Plants the faults in a file, reviews it, and expects each to be found at its part, within it, or around it. */
async function expectFound(
  file: string,
  faults: readonly Fault[],
  review: (path: string) => Promise<Finding[]>,
): Promise<Finding[]> {
  const content = load(await readFile(new URL(file, root), 'utf8'));
  for (const [, part, value] of faults) plant(content, splitPointer(part), value);
  const text = dump(content, { noRefs: true, lineWidth: -1 });
  const path = join(folder, file.replaceAll('/', '-'));
  await writeFile(path, text);
  const findings = await review(path);
  const { locate } = readYaml(text);
  const missed = faults.filter(([rule, part, , found = part.slice(0, part.lastIndexOf('/'))]) => {
    const places = [found, ...pointersIn(content, part)].map(locate);
    return !findings.some(
      ({ rules, line, column }) =>
        rules.includes(rule) && places.some((at) => at.line === line && at.column === column),
    );
  });
  expect(missed).toEqual([]);
  return findings;
}

function plant(content: unknown, steps: readonly string[], value: unknown): void {
  const parent = steps.slice(0, -1).reduce((part: object, step) => {
    if (Reflect.get(part, step) === undefined) Reflect.set(part, step, {});
    return Object(Reflect.get(part, step));
  }, Object(content));
  const key = steps.at(-1) ?? '';
  if (value === undefined) Reflect.deleteProperty(parent, key);
  else Reflect.set(parent, key, structuredClone(value));
}

/** Returns the pointers to a part, and to what is in it, two levels deep. */
function pointersIn(content: unknown, part: string, depth = 2): string[] {
  const value = valueAt(content, part);
  const inner = depth > 0 && typeof value === 'object' && value !== null ? Object.keys(value) : [];
  return [part, ...inner.flatMap((key) => pointersIn(content, `${part}/${escapeToken(key)}`, depth - 1))];
}

test('each fault of the contract is found by its rule, and house rules find nothing else', async () => {
  const findings = await expectFound('openapi.yaml', FAULTS, (file) => reviewContract(file, DRAFT));
  const isHouseRule = (rule = '') => rule.startsWith('spectral/roster-');
  const found = findings.flatMap(({ rules }) => rules).filter(isHouseRule);
  expect(found.sort()).toEqual(
    FAULTS.map(([rule]) => rule)
      .filter(isHouseRule)
      .sort(),
  );
});

test('each fault of the tour is found by its rule', async () => {
  await expectFound('docs/tour.arazzo.yaml', TOUR, reviewOther);
});

test.each([{ faults: CHAT }, { faults: CHAT_EXAMPLES }])(
  'each fault of the interface of chat servers is found by its rule: $faults.length',
  async ({ faults }) => {
    await expectFound('server/agents/chat/chat-server.yaml', faults, reviewOther);
  },
);

test('every house rule has a fault in this test', async () => {
  const ruleset = load(await readFile(new URL('.spectral.yaml', root), 'utf8'));
  const rules = Object.keys(asRecord(asRecord(ruleset)['rules']));
  const planted = new Set(FAULTS.map(([rule]) => rule));
  const isMissing = (rule: string) => rule.startsWith('roster-') && !planted.has(`spectral/${rule}`);
  expect(rules.filter(isMissing)).toEqual([]);
});
