/** Tests that every address in the documentation is one of the contract, in its spelling. */
import { describe, expect, test } from 'vitest';
import { document } from '../../testkit/openapi/document.js';
import { listAddresses } from './addresses-of-page.js';
import { findFault } from './fits-contract.js';
import { markdownPage, markdownPages } from './markdown.js';

/** Texts that look like addresses of the service and are none. */
const OTHERS = [
  // JSON pointers of problems.
  '/body/skill/name',
  '/query/limit',
  '/path/skill_name',
  // The prefix twice.
  '/api/api/…',
  '/api/api/projects/…',
  // Of chat servers.
  '/chat/completions',
  // An address that examples take for `/me`.
  '/anything/me',
  // A command of a host, made of a prompt.
  '/mcp__roster__predict_prices',
  // The prefix of OpenAI's interface, a BASE_PATH, and a folder of the container.
  '/v1',
  '/roster',
  '/data',
];

/** Made from released contracts: it has places in them, and addresses that may be gone. */
const CHANGES = 'docs/contract/CHANGELOG.md';

const pages = markdownPages().filter(({ path }) => path !== CHANGES);
const named = pages.flatMap((page) =>
  listAddresses(page)
    .filter(({ address }) => !OTHERS.includes(address))
    .map((address) => ({ page: page.path, ...address })),
);

test('every address in the documentation is one of the contract', () => {
  const faults = named.flatMap((one) => {
    const fault = findFault(one);
    return fault === undefined ? [] : `${one.page}: ${one.address}: ${fault}`;
  });
  expect(faults).toEqual([]);
});

test('addresses are found in prose, in shell commands and in Python', () => {
  const count = (path: string) => named.filter(({ page }) => page === path).length;
  expect(count('docs/api.md')).toBeGreaterThan(5);
  expect(count('docs/tour.md')).toBeGreaterThan(10);
  expect(count('docs/models/dataframes.md')).toBeGreaterThan(3);
});

test('every problem that the documentation names exists', () => {
  const known = new Set(JSON.stringify(document).match(/\/problems\/[a-z-]+/g));
  const problems = named.filter(({ address }) => /^\/problems\/[a-z]/.test(address));
  expect(problems.length).toBeGreaterThan(5);
  expect(problems.filter(({ address }) => !known.has(address))).toEqual([]);
});

test('each decision has its own number, and is in the list', () => {
  const pages = markdownPages().filter(({ path }) => /^docs\/decisions\/\d/.test(path));
  const names = pages.map(({ path }) => path.replace('docs/decisions/', '')).sort();
  const list = markdownPages().find(({ path }) => path === 'docs/decisions/README.md');
  const links = [...(list?.prose.matchAll(/^- \[(\d+)\]\((\S+)\)/gm) ?? [])];
  expect(links.map(([, , file]) => file).sort()).toEqual(names);
  const numbers = names.map((name) => name.slice(0, 4));
  expect([...new Set(numbers)]).toEqual(numbers);
  expect(links.map(([, number, file]) => file?.startsWith(`${number}-`))).not.toContain(false);
});

describe('an address of a page is reported', () => {
  const fault = (text: string) => listAddresses(markdownPage('page.md', text)).map(findFault);

  test.each([
    ['`/projects/{projectName}/skills`', '{projectName} is spelled {project_name} in /projects/'],
    ['`GET …/models/{model_name}`', '{model_name} is spelled {modelName} in /api/projects/'],
    ['`/project/default/skills`', 'no such address'],
    ['`/projects/default/models`', 'no such address'],
    ['`/api/api/projects/default/models`', 'no such address'],
    ['`PUT /projects/default`', 'no PUT there'],
    ['`PUT …/models/NAME?goal=COLUMN`', 'no query parameter goal'],
    ['<http://127.0.0.1:4000/doc>', 'no such address'],
    ['```sh\ncurl $R/projects/default/skill -d 1\n```', 'no such address'],
    ['```sh\nM=http://127.0.0.1:4010\ncurl -fX PUT \\\n  "$M/projects"\n```', 'no PUT there'],
    ['```python\nm = "http://127.0.0.1:4000/me"\nrequests.put(m)\n```', 'no PUT there'],
    ['```json\n{ "instance": "/skills" }\n```', 'no such address'],
  ])('%s', (text, expected) => {
    expect(fault(text)).toEqual([expect.stringContaining(expected)]);
  });

  test.each([
    '`/projects/{project_name}/skills`',
    '`/api/projects/default/skills/`',
    '`HEAD /api/projects/{projectName}/models/NAME`',
    '`…/versions/N`',
    '```sh\nask "$R/projects/default/skills?agent=analyst"\n```',
    '```python\nm = "http://127.0.0.1:4000/api/projects/p/models/m"\nrequests.post(f"{m}/predict", x)\n```',
  ])('and not if it fits: %s', (text) => {
    expect(fault(text)).toEqual([undefined]);
  });
});
