/** A property: whatever changes in a contract is reported. */
import fc from 'fast-check';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { asRecord } from '../../contract/json-record.js';
import { escapeToken } from '../../contract/pointer.js';
import { ContractFault } from '../src/contract.js';
import { writeMarkdown } from '../src/markdown.js';
import { review } from './small-contract.js';

const BEFORE = `
openapi: 3.1.0
info: { title: Small, version: 1.0.0 }
tags: [{ name: things, description: Things. }]
servers: [{ url: /, description: Here }]
externalDocs: { url: /docs }
paths:
  /things/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get:
      operationId: look
      summary: Look
      tags: [things]
      deprecated: false
      security: [{ key: [read] }]
      parameters: [{ name: q, in: query, style: form, schema: { type: string, default: a } }]
      responses:
        '200':
          description: A thing.
          headers: { X-Id: { description: An id., schema: { type: string } } }
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Thing' }
              examples: { one: { summary: One, value: { name: a } } }
          links: { again: { operationId: look, description: Reads it again. } }
      callbacks: { done: { /done: { post: { responses: { '200': { description: a } } } } } }
webhooks: { made: { post: { responses: { '200': { description: a } } } } }
components:
  schemas:
    Thing:
      type: object
      title: A thing
      required: [name]
      properties:
        name: { type: string, description: Its name., x-mark: 1 }
        kind: { enum: [a, b], readOnly: true }
        parts: { type: array, prefixItems: [{ type: string }], items: false }
    Unused: { type: string, examples: [a] }
  securitySchemes: { key: { type: http, scheme: bearer, bearerFormat: x, description: A key. } }
`;

/** A place in the document, and what is put there instead; undefined removes it. */
interface Mutation {
  readonly steps: readonly string[];
  readonly value: unknown;
}

function placesIn(node: unknown, steps: readonly string[] = []): string[][] {
  return Object.entries(asRecord(node)).flatMap(([key, child]) => [
    [...steps, key],
    ...placesIn(child, [...steps, key]),
  ]);
}

function mutated(node: unknown, { steps, value }: Mutation): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  const inner = mutated(asRecord(node)[step], { steps: rest, value });
  if (Array.isArray(node)) {
    return node.flatMap((one, index) => (String(index) !== step ? [one] : inner === undefined ? [] : [inner]));
  }
  return { ...asRecord(node), [step]: inner };
}

const mutations: fc.Arbitrary<Mutation> = fc.record({
  steps: fc.constantFrom(...placesIn(load(BEFORE))),
  value: fc.constantFrom(undefined, 'other', 7, true, {}, [], { description: 'other' }),
});

test('any single change of a contract is reported, or refused with its place', () => {
  fc.assert(
    fc.property(mutations, (mutation) => {
      const before = JSON.stringify(load(BEFORE));
      const after = JSON.stringify(mutated(load(BEFORE), mutation));
      fc.pre(before !== after);
      const text = (() => {
        try {
          return writeMarkdown(review(before, after), { before: 'a', after: 'b' });
        } catch (error) {
          if (!(error instanceof ContractFault)) throw error;
          return `refused: ${error.message}`;
        }
      })();
      expect(text, mutation.steps.map(escapeToken).join('/')).not.toContain('Nothing changed');
    }),
    { numRuns: 80 },
  );
});
