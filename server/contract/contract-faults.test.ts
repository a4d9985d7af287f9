import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ContractError, readContract } from './document.js';
import { requestValidation } from './validation.js';

const CONTRACT = readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'roster-contract-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts with the contract as it is but for one fault. */
async function startWith(faulty: (contract: string) => string): Promise<void> {
  const changed = faulty(CONTRACT);
  expect(changed, 'the fault is in the contract').not.toBe(CONTRACT);
  const file = join(folder, 'openapi.yaml');
  writeFileSync(file, changed);
  await requestValidation(readContract(file));
}

async function faultOf(faulty: (contract: string) => string): Promise<string> {
  const fault = await startWith(faulty).then(
    () => new Error('it started'),
    (error: unknown) => error,
  );
  expect(fault).toBeInstanceOf(ContractError);
  return fault instanceof Error ? fault.message : '';
}

test('the contract as it is has no fault', async () => {
  await requestValidation(readContract(new URL('../../openapi.yaml', import.meta.url)));
});

test('YAML that cannot be read stops the start, with its place', async () => {
  const message = await faultOf((contract) => contract.replace('\npaths:', '\npaths: ['));
  expect(message).toMatch(/openapi\.yaml: .*\(\d+:\d+\)/s);
});

test('an operation without an operationId stops the start, with its place', async () => {
  const message = await faultOf((contract) => contract.replace('operationId: getSkill', 'x-id: a'));
  expect(message).toContain('/projects/{project_name}/skills/{skill_name} › get › operationId');
});

test('two operations of one name stop the start', async () => {
  const message = await faultOf((contract) =>
    contract.replace('operationId: getAgent', 'operationId: getSkill'),
  );
  expect(message).toContain('two operations are called getSkill');
});

test('a reference to a schema that is not there stops the start, not the first request', async () => {
  const message = await faultOf((contract) =>
    contract.replace(
      "name: { $ref: '#/components/schemas/Name' }\n            type: { $ref: '#/components/schemas/SkillType' }",
      "name: { $ref: '#/components/schemas/Nmae' }\n            type: { $ref: '#/components/schemas/SkillType' }",
    ),
  );
  expect(message).toContain('Nmae');
});

test('a pattern that is no regular expression stops the start and names the operation', async () => {
  const message = await faultOf((contract) =>
    contract.replace("pattern: '^[A-Za-z0-9_-]{21}[AQgw]$'", "pattern: '^[A-Za-z0-9_-{21}'"),
  );
  expect(message).toContain('listProjects');
});

test('a schema of a type that does not exist stops the start', async () => {
  const message = await faultOf((contract) =>
    contract.replace(
      '    SkillType:\n      type: string\n',
      '    SkillType:\n      type: strnig\n',
    ),
  );
  expect(message).toContain('strnig');
});

test('a problem whose words are not fixed stops the start, with its place', async () => {
  const message = await faultOf((contract) =>
    contract.replace('title: { const: Unknown address }', 'title: { type: string }'),
  );
  expect(message).toContain('components › schemas › UnknownAddress › properties › title › const');
});

test('one rule that is worded in two ways stops the start', async () => {
  const message = await faultOf((contract) =>
    contract.replace(
      'x-roster-says: must not contain the character U+0000 or half of a surrogate pair',
      'x-roster-says: must be fine',
    ),
  );
  expect(message).toContain('in two ways');
});
