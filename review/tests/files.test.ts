/** Tests of contracts in several files, in JSON, and of unusual forms. */
import { describe, expect, test } from 'vitest';
import { ContractFault, readContract } from '../src/contract.js';
import { reviewContracts } from '../src/review.js';
import { broken, contract, summarize } from './small-contract.js';

type Files = Readonly<Record<string, string>>;

/** Reads a contract whose root is `api/openapi.yaml`, with files relative to its folder. */
function readFiles(files: Files) {
  const { root = '', ...others } = files;
  const read = (paths: readonly string[]) =>
    paths.map((path) => (Object.hasOwn(others, path) ? others[path] : undefined));
  return readContract(root, 'openapi.yaml', { read });
}

function faultOf(files: Files): string {
  try {
    readFiles(files);
    return 'none';
  } catch (error) {
    if (error instanceof ContractFault) return error.message;
    throw error;
  }
}

const ROOT = contract('{/pets: {$ref: "paths/pets.yaml"}}');
const PETS = `
get:
  operationId: listPets
  responses:
    '200': { content: { application/json: { schema: { $ref: '../schemas/all.yaml#/Pets' } } } }
`;
const schemas = (name: string) => `
Pets: { type: array, items: { $ref: '#/Pet' } }
Pet: { type: object, required: [name], properties: { name: ${name}, mother: { $ref: 'all.yaml#/Pet' } } }
`;

describe('a contract in several files', () => {
  test('is compared as one, also where its files refer to each other in a circle', () => {
    const version = (name: string) =>
      readFiles({ root: ROOT, 'paths/pets.yaml': PETS, 'schemas/all.yaml': schemas(name) });
    const review = reviewContracts({ before: version('{type: string}'), after: version('{type: integer}') });
    expect(summarize(review)).toEqual(['type-changed (reader) listPets 200 body[].name']);
    expect(review.breaking.reader[0]?.pointers).toEqual(['/x-files/schemas~1all.yaml/Pet/properties/name']);
  });

  test('equals the same contract in one file', () => {
    const inline = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
    const one = readFiles({
      root: contract(
        `{/a: {get: {operationId: a, responses: {200: {content: {a/b: {schema: ${JSON.stringify(inline)}}}}}}}}`,
      ),
    });
    const two = readFiles({
      root: contract(
        '{/a: {get: {operationId: a, responses: {200: {content: {a/b: {schema: {$ref: "a%20b.json"}}}}}}}}',
      ),
      'a b.json': JSON.stringify(inline),
    });
    expect(summarize(reviewContracts({ before: one, after: two }))).toEqual([]);
  });

  test.each([
    ['a file that is missing', 'nowhere.yaml', 'leads to a file that does not exist'],
    ['an address', 'https://example.com/a.yaml', 'leads to an address, and nothing is fetched'],
    ['an address without a scheme', '//example.com/a.yaml', 'leads to an address, and nothing is fetched'],
    ['a part that a file does not have', 'a.yaml#/Nothing', 'leads to nothing'],
    ['a file that leads back to itself', 'circle.yaml', 'leads back to itself'],
    ['a file that is not YAML', 'broken.yaml', 'broken.yaml of openapi.yaml, line'],
  ])('with a reference to %s is refused', (_, reference, words) => {
    const files = { 'a.yaml': 'A: {}', 'circle.yaml': '$ref: "circle.yaml"', 'broken.yaml': 'a: [' };
    expect(faultOf({ root: contract(`{/a: {$ref: ${JSON.stringify(reference)}}}`), ...files })).toContain(words);
  });

  test('keeps what only looks like a reference: an example, and a field of that name', () => {
    const schema = '{properties: {$ref: {type: string}}, example: {$ref: nowhere.yaml}}';
    expect(faultOf({ root: contract('{}', `components: {schemas: {A: ${schema}}}`) })).toBe('none');
  });
});

describe('a contract may be', () => {
  const LOOK = { '/a': { get: { operationId: 'a', responses: { 200: { description: 'a' } } } } };

  test('JSON, indented with tabs', () => {
    const document = { openapi: '3.0.3', info: { title: 'a', version: '1.0.0' }, paths: LOOK };
    const tabs = readContract(JSON.stringify(document, null, '\t'), 'openapi.json');
    expect(summarize(reviewContracts({ before: tabs, after: readContract(contract('{}'), 'after') }))).toEqual([
      'operation-removed (caller) a',
    ]);
  });

  test('of a version that is a date or a number, which any other announces', () => {
    const version = (text: string, paths: string) =>
      readContract(`openapi: 3.1.0\ninfo: {title: a, version: ${text}}\npaths: ${paths}`, 'openapi.yaml');
    const [old, now] = [version('1.0', JSON.stringify(LOOK)), version('1.1', '{}')];
    const review = reviewContracts({ before: old, after: now });
    expect(broken(review)).toEqual(['caller']);
    expect(review.announced).toEqual({ breaksAnnounced: true, additionsAnnounced: true, needed: undefined });
    expect(review.versions).toEqual({ before: '1', after: '1.1' });
    const added = reviewContracts({ before: version('1.0', '{}'), after: version('1.0', JSON.stringify(LOOK)) });
    expect(added.announced).toMatchObject({ breaksAnnounced: true, additionsAnnounced: false });
  });

  test('written with anchors of YAML', () => {
    const text = contract('{/a: {get: &get {operationId: a, responses: {}}, put: {<<: *get, operationId: b}}}');
    expect(
      summarize(reviewContracts({ before: readContract(text, 'a'), after: readContract(contract('{}'), 'b') })),
    ).toEqual(['operation-removed (caller) a', 'operation-removed (caller) b']);
  });
});
