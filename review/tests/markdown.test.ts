import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { writeMarkdown } from '../src/markdown.js';
import { contract, makeContract, review } from './small-contract.js';

const SIDES = { before: 'main', after: 'here' };
const THING = 'type: object, properties: {name: {type: string, pattern: "^(a|b`)$"}}';
const before = makeContract(load(`{${THING}}`));
const after = makeContract(load(`{${THING.replace('a|b', 'a')}}`));

test('a row gives the change, its place, the old and new value, and the compatible alternative', () => {
  const text = writeMarkdown(review(before, after), SIDES);
  expect(text).toContain('**1 breaking change, which the version does not announce');
  expect(text).toContain('it has to be `2.0.0` at least');
  expect(text).toContain('### Breaks clients that send (1)');
  expect(text).toContain('| pattern changed | `save body.name`<br>at `/paths/');
});

test('a text with pipes and backticks stays one cell, as code', () => {
  const text = writeMarkdown(review(before, after), SIDES);
  expect(text).toContain('| `` ^(a\\|b`)$ `` | `` ^(a`)$ `` |');
});

test('text from a contract mentions nobody and is not rendered', () => {
  const said = '@everyone <b>[x](https://localhost)\n| a | row |';
  const hostile = makeContract({ type: 'string', enum: ['a', said] });
  const text = writeMarkdown(review(hostile, makeContract({ type: 'string', enum: ['a'] })), {
    before: '`b` @c',
    after: '@d',
  });
  const outside = text.replace(/(`+)(?!`).*?[^`]\1(?!`)/g, '');
  expect(outside).not.toMatch(/@|<b>|https|row/);
  expect(text).toContain('everyone');
});

test('equal versions are reported in one line', () => {
  expect(writeMarkdown(review(before, before), SIDES)).toBe(
    '## What this does to clients\n\n**Nothing changed.** Compares `main` with `here`; the version stays `1.0.0`.\n',
  );
});

test('an addition is not a breaking change, and requires a minor version', () => {
  const more = makeContract(load(`{${THING.replace('{name', '{more: {}, name')}}`));
  const text = writeMarkdown(review(before, more), SIDES);
  expect(text).toContain('**Nothing breaks.** 2 additions.');
  expect(text).toContain('For additions, it has to be `1.1.0` at least.');
});

test.each([
  ['changed', '{name: a, description: old}', '{name: a, description: new}', '`old` | `new` |'],
  ['removed', '{name: a, description: old}', '{name: a}', '`old` |  |'],
  ['added', '{name: a}', '{name: a, description: new}', ' | `new` |'],
])('a text that is %s is reported with its place', (what, old, now, values) => {
  const words = (tag: string) => contract('{}', `tags: [${tag}]`);
  const text = writeMarkdown(review(words(old), words(now)), SIDES);
  expect(text).toContain('**Nothing breaks.**');
  expect(text).toContain(`| ${what} | \`tags 0 description\`<br>at \`/tags/0/description\` | ${values}`);
});

test('a text of an operation is recognised by the name of the operation', () => {
  const look = (summary: string) =>
    contract(`{/things: {get: {operationId: look, ${summary} responses: {200: {description: a}}}}}`);
  const text = writeMarkdown(review(look('summary: Look,'), look('')), SIDES);
  expect(text).toContain('| removed | `look summary`<br>at `/paths/~1things/get/summary` | `Look` |');
});

test('an example that is invalid since the change is reported with its place', () => {
  const thing = (maxLength: number) => makeContract({ type: 'string', maxLength, examples: ['long'] });
  const text = writeMarkdown(review(thing(4), thing(3)), SIDES);
  expect(text).toContain('### Examples that are invalid now');
  expect(text).toContain('/requestBody/content/application~1json/schema/examples/0`');
  expect(writeMarkdown(review(thing(3), thing(2)), SIDES)).not.toContain('### Examples that are');
});

test('what has no known effect is reported, too', () => {
  const text = writeMarkdown(review(contract('{}'), contract('{}', 'x-mark: 1')), SIDES);
  expect(text).toContain('**Nothing breaks.**');
  expect(text).toContain('| added | `x-mark`<br>at `/x-mark` |  | `1` |');
});

test('a change of the order or of comments is reported as one of the form', () => {
  const text = writeMarkdown(review(before, `# a comment\n${before}`), SIDES);
  expect(text).toContain('**Nothing changed but the form of the file**');
});

test('a review fits into a comment, with the gravest changes first', () => {
  const operations = (count: number) =>
    contract(
      JSON.stringify(
        Object.fromEntries(
          Array.from({ length: count }, (_, index) => [
            `/${index}${'x'.repeat(100)}`,
            { get: { operationId: `look${index}`, responses: {} } },
          ]),
        ),
      ),
    );
  const text = writeMarkdown(review(operations(2000), operations(1)), SIDES);
  expect(text.length).toBeLessThan(65_536);
  expect(text).toContain('1999 breaking changes');
  expect(text).toContain('further lines');
});
