/** Tests that a contract which is huge, circular or written wrongly is read, or refused with its place. */
import { describe, expect, test } from 'vitest';
import { ContractFault, readContract } from '../src/contract.js';
import { reviewContracts } from '../src/review.js';
import { makeContract, review, summarize } from './small-contract.js';

function faultOf(text: string): string {
  try {
    readContract(text, 'openapi.yaml');
    return 'none';
  } catch (error) {
    if (error instanceof ContractFault) return error.message;
    throw error;
  }
}

const HEAD = 'openapi: 3.1.0\ninfo: {title: a, version: 1.0.0}\n';

describe('refused with its line:', () => {
  test.each([
    ['a key that is there twice', `${HEAD}paths:\n  /a: {}\n  /a: {}\n`, 'line 5'],
    ['YAML that is indented with tabs', `${HEAD}paths:\n\t/a: {}\n`, 'line 4'],
    ['an alias without an anchor', `${HEAD}paths: *nothing\n`, 'line 3'],
    ['nothing', '', 'openapi.yaml'],
    ['a page of HTML', '<!doctype html><p>Not found</p>', 'openapi.yaml'],
  ])('%s', (_, text, words) => {
    expect(faultOf(text)).toContain(words);
  });

  test.each([
    ['itself', { Loop: { $ref: '#/components/schemas/Loop' } }],
    ['another that leads back', { Loop: { $ref: '#/components/schemas/B' }, B: { $ref: '#/components/schemas/Loop' } }],
  ])('a reference to %s', (_, schemas) => {
    expect(faultOf(makeContract({ $ref: '#/components/schemas/Loop' }, schemas))).toContain('leads back to itself');
  });
});

test('a schema that contains itself is compared once', () => {
  const tree = (name: string) => ({
    Tree: {
      type: 'object',
      properties: { name: { type: name }, kids: { items: { $ref: '#/components/schemas/Tree' } } },
    },
  });
  const versions = ['string', 'integer'].map((name) => makeContract({ $ref: '#/components/schemas/Tree' }, tree(name)));
  const found = summarize(review(versions[0] ?? '', versions[1] ?? ''));
  expect(found).toEqual(['type-changed (sender) save body.name', 'type-changed (reader) save 200 body.name']);
});

test('anchors that would become millions of parts are refused', () => {
  const levels = Array.from({ length: 30 }, (_, level) => {
    const before = level === 0 ? '{type: string}' : `*l${level - 1}`;
    return `  L${level}: &l${level} {properties: {a: ${before}, b: ${before}}}`;
  });
  const text = `${HEAD}paths: {}\ncomponents:\n  schemas:\n${levels.map((level) => `  ${level}`).join('\n')}\n`;
  expect(faultOf(text)).toContain('its aliases stand for more than 5000000 values');
});

test('a contract of five megabytes is compared', () => {
  const about = 'x'.repeat(13_000);
  const paths = Array.from({ length: 400 }, (_, at) => [
    `/a${at}`,
    { get: { operationId: `get${at}`, description: about, responses: { 200: { description: about.slice(0, 200) } } } },
  ]);
  const text = (all: typeof paths) =>
    JSON.stringify({ openapi: '3.1.0', info: { title: 'a', version: '1.0.0' }, paths: Object.fromEntries(all) });
  expect(text(paths).length).toBeGreaterThan(5_000_000);
  const [before, after] = [paths, paths.slice(1)].map((all) => readContract(text(all), 'openapi.json'));
  if (!before || !after) throw new Error('unread');
  expect(summarize(reviewContracts({ before, after }))).toEqual(['operation-removed (caller) get0']);
});
