import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { expect, onTestFinished, test } from 'vitest';
import { contractVersions } from '../../contract/versions.js';
import { writeContractFiles } from './contract-files.js';

const TREES = `openapi: 3.1.0
info: { title: Trees, version: 1.4.0 }
paths:
  /trees/{name}:
    get:
      operationId: getTree
      parameters: [{ $ref: '#/components/parameters/Name' }]
      responses:
        '200':
          description: A tree.
          content: { application/json: { schema: { $ref: '#/components/schemas/Tree' } } }
components:
  parameters:
    Name: { name: name, in: path, required: true, schema: { type: string } }
  schemas:
    Tree:
      type: object
      properties: { children: { type: array, items: { $ref: '#/components/schemas/Tree' } } }
`;

test('the dereferenced contract gives openapi-typescript the types of the contract', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'roster-contract-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'openapi.yaml'), TREES);
  writeContractFiles(folder, contractVersions(join(folder, 'openapi.yaml'), join(folder, 'none')));
  const source = readFileSync(join(folder, '1.4.0.dereferenced.json'), 'utf8');
  const types = astToString(await openapiTS(source));
  expect(types).toContain('children?: components["schemas"]["Tree"][]');
  expect(types).toMatch(/parameters: \{[^}]*path: \{\s*name: string/);
});
