import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readDocument } from '../../contract/check/index.js';
import { ContractError } from '../../contract/document-schema.js';
import { root } from '../../testkit/root.js';
import { codeIn } from './handlers.js';
import { tourModule } from './tour-module.js';

const read = (file: string) => readFileSync(new URL(file, root), 'utf8');
const document = readDocument(read('openapi.yaml'), codeIn(fileURLToPath(root)));
const TOUR = read('docs/tour.arazzo.yaml');

test.each([
  [
    'an operation that is not in the contract',
    'roster.createSkill',
    'roster.makeSkill',
    'openapi.yaml has no operation makeSkill',
  ],
  ['a path parameter without a value', 'name: agent_name', 'name: agent', 'the path parameter agent_name has no value'],
  ['an input that is not described', '$inputs.table', '$inputs.rows', 'there is no input rows'],
  ['a step without a status', '$statusCode == 202', '$statusCode < 300', 'its first success criterion must be'],
  ['a missing description', 'description: Delete the agent.', 'summary: Delete the agent.', 'description'],
  ['text that is not YAML', 'workflows:', 'workflows: @', 'this is not YAML'],
])('%s is reported with its line', (_fault, from, to, message) => {
  const make = () =>
    tourModule(
      TOUR.replace(from, () => to),
      document,
    );
  expect(make).toThrow(ContractError);
  expect(make).toThrow(/^docs\/tour\.arazzo\.yaml:\d+:\d+: /);
  expect(make).toThrow(message);
});
