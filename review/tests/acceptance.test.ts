/** Tests of breaking changes that a file of the repository accepts. */
import { describe, expect, test } from 'vitest';
import { readAcceptances } from '../src/acceptance.js';
import { ContractFault, readContract } from '../src/contract.js';
import { writeMarkdown } from '../src/markdown.js';
import { reviewContracts } from '../src/review.js';
import { contract, summarize } from './small-contract.js';

const OPERATION = (name: string) => `/${name}: {get: {operationId: ${name}, responses: {200: {description: a}}}}`;
const BEFORE = contract(`{${OPERATION('a')}, ${OPERATION('b')}}`);

function review(file: string) {
  const versions = { before: readContract(BEFORE, 'before'), after: readContract(contract('{}'), 'after') };
  return reviewContracts(versions, readAcceptances(file, '.spec-review.yaml'));
}

describe('an accepted change', () => {
  test('breaks nobody that the version would have to announce, and is listed with its reason', () => {
    const found = review('accepted: [{rule: operation-removed, reason: "Nobody has called them since March."}]');
    expect(summarize(found)).toEqual([]);
    expect(found.announced.breaksAnnounced).toBe(true);
    const text = writeMarkdown(found, { before: 'main', after: 'here' });
    expect(text).toContain('**Nothing breaks.**');
    expect(text).toContain('2 breaking changes accepted.');
    expect(text).toContain('### Breaks, and is accepted (2)\n\nReason: `Nobody has called them since March.`');
  });

  test('is accepted at its place alone, if the file names one', () => {
    const found = review('accepted: [{rule: operation-removed, at: a, reason: unused}]');
    expect(summarize(found)).toEqual(['operation-removed (caller) b']);
    expect(found.announced.breaksAnnounced).toBe(false);
    expect(found.accepted.map(({ changes }) => changes[0]?.places)).toEqual([['a']]);
  });

  test('is accepted with its new value alone, if the file names one', () => {
    const found = review('accepted: [{rule: operation-removed, is: GET /a, reason: unused}]');
    expect(summarize(found)).toHaveLength(2);
  });

  test('is listed as not needed where nothing breaks by its rule', () => {
    const found = review('accepted: [{rule: type-changed, at: a body, reason: gone}]');
    expect(writeMarkdown(found, { before: 'main', after: 'here' })).toContain(
      '### Accepted, and not needed (1)\n\n| rule | where | reason |\n|---|---|---|\n| `type-changed` | `a body` | `gone` |',
    );
  });
});

test.each([
  ['no reason', 'accepted: [{rule: type-changed}]', '.spec-review.yaml: /accepted/0/reason: '],
  ['an empty reason', 'accepted: [{rule: type-changed, reason: " "}]', '/accepted/0/reason: is empty'],
  ['an unknown rule', 'accepted: [{rule: typo, reason: a}]', '/accepted/0/rule: "typo" is no rule of the review'],
  ['an unknown key', 'accepted: [{rule: type-changed, reason: a, where: b}]', '/accepted/0/where: '],
  ['no list', 'rules: []', '/accepted: '],
  ['no YAML', 'accepted: [', '.spec-review.yaml, line 1: '],
])('a file of accepted changes with %s is refused with the place', (_, text, words) => {
  const read = () => readAcceptances(text, '.spec-review.yaml');
  expect(read).toThrow(ContractFault);
  expect(read).toThrow(words);
});
