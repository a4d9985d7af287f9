/**
 * Tests that each house rule finds exactly the fault that it exists for. A rule that never fires guards
 * nothing, nor does one that always fires.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { dump, load } from 'js-yaml';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { document } from '../../testkit/openapi/document.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** One fault for each rule, by its place and value. Without `value`, the place is removed. */
const FAULTS: Record<string, { at: string[]; value?: unknown }> = {
  'roster-operation-id-camel-case': {
    at: ['paths', '/projects', 'get', 'operationId'],
    value: 'list-projects',
  },
  'roster-summary-short': {
    at: ['paths', '/projects', 'get', 'summary'],
    value: 'List all of the projects that there are',
  },
  'roster-operation-one-tag': {
    at: ['paths', '/projects', 'get', 'tags'],
    value: ['projects', 'skills'],
  },
  'roster-scope': {
    at: ['paths', '/projects', 'get', 'security'],
    value: [{ apiKey: ['admin'] }, { apiKeyHeader: ['admin'] }],
  },
  'roster-created-links': { at: ['paths', '/projects', 'post', 'responses', '201', 'links'] },
  'roster-create-idempotency-key': {
    at: ['paths', '/projects', 'post', 'parameters'],
    value: [],
  },
  'roster-operation-400': { at: ['paths', '/health/live', 'get', 'responses', '400'] },
  'roster-operation-406': { at: ['paths', '/health/live', 'get', 'responses', '406'] },
  'roster-body-413': { at: ['paths', '/projects', 'post', 'responses', '413'] },
  'roster-body-415': { at: ['paths', '/projects', 'post', 'responses', '415'] },
  'roster-named-examples': {
    at: ['paths', '/projects', 'post', 'requestBody', 'content', 'application/json', 'examples'],
  },
  'roster-example-summary': { at: ['components', 'examples', 'Skill', 'summary'] },
  'roster-request-id': { at: ['components', 'responses', 'Deleted', 'headers', 'X-Request-Id'] },
  'roster-created-location': {
    at: ['paths', '/projects', 'post', 'responses', '201', 'headers', 'Location'],
  },
  'roster-errors-are-problems': {
    at: ['components', 'responses', 'UnknownAgent', 'content', 'application/json'],
    value: { examples: { taken: { summary: 'Taken', value: {} } } },
  },
  'roster-problem-has-page': {
    at: ['components', 'schemas', 'NameTaken', 'description'],
    value: 'The name is taken.',
  },
  'roster-sunset': { at: ['components', 'schemas', 'DeprecatedParams', 'x-roster-sunset'] },
  'roster-described': { at: ['components', 'schemas', 'FieldErrors', 'description'] },
};

interface Finding {
  code: string;
  path: string[];
}

let folder: string;
let houseRules: Record<string, unknown>;
let findings: Finding[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roster-'));
  houseRules = await readHouseRules();
  // Alone, they take a quarter of the time that Spectral needs for all.
  const ruleset = join(folder, 'rules.yaml');
  await writeFile(ruleset, dump({ rules: houseRules }));
  const faulty = join(folder, 'faulty.json');
  await writeFile(faulty, JSON.stringify(withFaults()));
  findings = await lint(faulty, ruleset);
});
afterAll(() => rm(folder, { recursive: true }));

test('every house rule has a fault in this test', () => {
  expect(Object.keys(FAULTS).sort()).toEqual(Object.keys(houseRules).sort());
});

test.each(Object.entries(FAULTS))('%s finds its fault, and no other', (rule, { at, value }) => {
  const places = findings.filter(({ code }) => code === rule).map(({ path }) => path);
  // A missing part is reported at its parent.
  expect(places).toEqual([value === undefined ? at.slice(0, -1) : at]);
});

async function readHouseRules(): Promise<Record<string, unknown>> {
  const ruleset = load(await readFile(join(ROOT, '.spectral.yaml'), 'utf8'));
  expect(ruleset).toHaveProperty('rules');
  const { rules } = Object(ruleset) as { rules: object }; // The line above has checked this.
  return Object.fromEntries(Object.entries(rules).filter(([rule]) => rule.startsWith('roster-')));
}

function withFaults(): unknown {
  const faulty: unknown = structuredClone(document);
  for (const { at, value } of Object.values(FAULTS)) {
    const parent = at
      .slice(0, -1)
      .reduce((node: unknown, key) => Reflect.get(Object(node), key), faulty);
    const key = at.at(-1) ?? '';
    if (value === undefined) {
      Reflect.deleteProperty(Object(parent), key);
    } else {
      Reflect.set(Object(parent), key, value);
    }
  }
  return faulty;
}

async function lint(file: string, rules: string): Promise<Finding[]> {
  const spectral = join(ROOT, 'node_modules/.bin/spectral');
  const ruleset = ['--ruleset', rules];
  const report = join(folder, 'report.json');
  const output = ['--quiet', '--format', 'json', '--output', report];
  const args = ['lint', ...ruleset, ...output, file];
  // Spectral exits with 1 when there are findings, as expected here.
  await promisify(execFile)(spectral, args).catch(() => undefined);
  const found: Finding[] = JSON.parse(await readFile(report, 'utf8'));
  return found;
}
