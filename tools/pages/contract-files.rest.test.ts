import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getHttpOperationsFromSpec } from '@stoplight/prism-cli/dist/operations.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { contractVersions } from '../../contract/versions.js';
import { writeContractFiles } from './contract-files.js';

/** A contract with a reference of each kind, and a schema that contains itself. */
const SMALL = `openapi: 3.1.0
info: { title: Trees, version: 1.4.0 }
paths:
  /trees/{name}:
    parameters: [{ $ref: '#/components/parameters/Name' }]
    get:
      operationId: getTree
      responses:
        '200': { $ref: '#/components/responses/Tree' }
components:
  parameters:
    Name: { name: name, in: path, required: true, schema: { type: string } }
  responses:
    Tree:
      description: A tree.
      headers:
        ETag: { $ref: '#/components/headers/ETag' }
      content:
        application/json:
          schema: { $ref: '#/components/schemas/Tree', description: The root. }
          examples:
            leaf: { $ref: '#/components/examples/Leaf' }
  headers:
    ETag: { schema: { type: string } }
  examples:
    Leaf: { value: { children: [] } }
  schemas:
    Name: { type: string, minLength: 1 }
    Tree:
      type: object
      description: A tree.
      properties:
        $ref: { $ref: '#/components/schemas/Name' }
        short: { $ref: '#/components/schemas/Name', maxLength: 5 }
        children: { type: array, items: { $ref: '#/components/schemas/Tree' } }
`;

let folder: string;
const path = (...names: string[]) => join(folder, ...names);
const read = (name: string) => readFileSync(path('dist', name), 'utf8');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roster-contract-'));
  mkdirSync(path('releases'));
  writeFileSync(path('openapi.yaml'), SMALL);
});
afterEach(() => rmSync(folder, { recursive: true }));

const build = () => writeContractFiles(path('dist'), contractVersions(path('openapi.yaml'), path('releases')));

function release(version: string, change: (text: string) => string = (text) => text): void {
  const text = change(SMALL.replace('version: 1.4.0', `version: ${version}`));
  writeFileSync(path('releases', `${version}.yaml`), text);
}

describe('the files of the contract', () => {
  test('are those of each release and of the current version, the newest first', () => {
    for (const version of ['1.3.0', '1.10.0', '1.4.0-rc.1']) release(version);
    build();
    expect(JSON.parse(read('versions.json'))).toEqual([
      { version: '1.10.0', isReleased: true },
      { version: '1.4.0', isReleased: false },
      { version: '1.4.0-rc.1', isReleased: true },
      { version: '1.3.0', isReleased: true },
    ]);
    expect(readdirSync(path('dist'))).toHaveLength(4 * 3 + 1);
    expect(read('1.4.0.yaml')).toBe(SMALL);
    expect(JSON.parse(read('1.3.0.json'))).toMatchObject({ info: { version: '1.3.0' } });
  });

  test('need no folder of releases', () => {
    rmSync(path('releases'), { recursive: true });
    build();
    expect(JSON.parse(read('versions.json'))).toEqual([{ version: '1.4.0', isReleased: false }]);
  });

  test('are released if the current version is a release', () => {
    release('1.4.0', (text) => `# The first.\n${text}`);
    build();
    expect(JSON.parse(read('versions.json'))).toEqual([{ version: '1.4.0', isReleased: true }]);
  });

  test('leave no file of a version that is gone', () => {
    release('1.3.0');
    build();
    rmSync(path('releases', '1.3.0.yaml'));
    build();
    expect(readdirSync(path('dist')).filter((name) => name.startsWith('1.3.0'))).toEqual([]);
  });
});

describe('a version that cannot be published is reported with its place, and nothing is written', () => {
  test.each([
    {
      what: 'another contract under the number of a release',
      prepare: () => release('1.4.0', (text) => text.replace('A tree', 'A shrub')),
      says: /openapi\.yaml:2:32: version 1\.4\.0 is released, and 1\.4\.0\.yaml .* differs; raise/,
    },
    {
      what: 'two releases of one number',
      prepare: () => writeFileSync(path('releases', '1.2.0.yaml'), SMALL),
      says: /1\.2\.0\.yaml:2:32: info\.version is 1\.4\.0; name the file 1\.4\.0\.yaml/,
    },
    {
      what: 'a release that is not YAML',
      prepare: () => release('1.2.0', () => 'openapi: @\n'),
      says: /1\.2\.0\.yaml:1:10: this is not YAML/,
    },
    {
      what: 'a version that is not a file name',
      prepare: () => writeFileSync(path('openapi.yaml'), SMALL.replace('1.4.0', '../../1.4.0')),
      says: /openapi\.yaml:2:32: info\.version must be a version, such as 1\.4\.0/,
    },
  ])('$what', ({ prepare, says }) => {
    prepare();
    expect(build).toThrow(says);
    expect(readdirSync(folder)).not.toContain('dist');
  });
});

describe('the dereferenced contract', () => {
  test('has no reference, except of a schema that contains itself', () => {
    const data = SMALL.replace('value: { children', "value: { $ref: '#/data', children");
    writeFileSync(path('openapi.yaml'), data);
    build();
    const document = JSON.parse(read('1.4.0.dereferenced.json'));
    const { schema, examples } = document.paths['/trees/{name}'].get.responses['200'].content['application/json'];
    expect(examples.leaf.value).toEqual({ $ref: '#/data', children: [] });
    expect(schema).toEqual({
      type: 'object',
      description: 'The root.',
      properties: {
        $ref: { type: 'string', minLength: 1 },
        short: { maxLength: 5, allOf: [{ type: 'string', minLength: 1 }] },
        children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
      },
    });
  });

  test('gives Prism the operations of the contract', async () => {
    const root = new URL('../../', import.meta.url);
    const current = new URL('openapi.yaml', root).pathname;
    writeContractFiles(path('dist'), contractVersions(current, path('releases')));
    const [name = ''] = readdirSync(path('dist')).filter((file) => file.includes('dereferenced'));
    expect(read(name)).not.toContain('"$ref"');
    const idsOf = async (file: string) => (await getHttpOperationsFromSpec(file)).map(({ iid }) => iid);
    expect(await idsOf(path('dist', name))).toEqual(await idsOf(current));
  });
});
