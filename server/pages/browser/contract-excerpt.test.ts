import { describe, expect, test } from 'vitest';
import { document, operations } from '../../../testkit/openapi/document.js';
import { excerpt, type WholeContract } from './contract-excerpt.js';

const contract: WholeContract = JSON.parse(JSON.stringify(document));

const at = (whole: unknown, path: readonly string[]): unknown =>
  path.reduce((value: unknown, key) => Object(value)[key], whole);

/** Returns the references that lead nowhere. */
function dangling(cut: WholeContract): string[] {
  const references = JSON.stringify(cut).matchAll(/"\$ref":"#\/([^"]+)"/g);
  return [...references]
    .map(([, path = '']) => path)
    .filter((path) => at(cut, path.split('/')) === undefined);
}

describe('an excerpt of the contract', () => {
  test('has an operation, all that it refers to, and the operations that links name', () => {
    for (const [address, item] of Object.entries(contract.paths)) {
      for (const method of Object.keys(item)) {
        const path = ['paths', address, method];
        const cut = excerpt(contract, path);
        expect(at(cut, path)).toEqual(at(contract, path));
        expect(dangling(cut), path.join(' ')).toEqual([]);
        expect(JSON.stringify(cut).match(/"operationId":/g)?.length).toBeGreaterThanOrEqual(
          operations.length,
        );
      }
    }
  });

  test.each([[['components', 'securitySchemes']], [['components', 'schemas', 'Skill']]])(
    'has a component, and all that it refers to: %j',
    (path) => {
      const cut = excerpt(contract, path);
      expect(at(cut, path)).toEqual(at(contract, path));
      expect(dangling(cut)).toEqual([]);
    },
  );

  test('is smaller than the contract', () => {
    const [address = ''] = Object.keys(contract.paths);
    const cut = excerpt(contract, ['paths', address, 'get']);
    expect(JSON.stringify(cut).length).toBeLessThan(JSON.stringify(contract).length / 4);
  });
});
