import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { markdownOf } from '../markdown.js';
import { contract, contractOf, review } from './small-contract.js';

const THING = 'type: object, properties: {name: {type: string, pattern: "^(a|b`)$"}}';
const before = contractOf(load(`{${THING}}`));
const after = contractOf(load(`{${THING.replace('a|b', 'a')}}`));

test('a row gives the change, its place, the old and new value, and the compatible alternative', () => {
  const text = markdownOf(review(before, after), 'main');
  expect(text).toContain('**1 breaking change, which the version does not announce');
  expect(text).toContain('it has to be `2.0.0` at least');
  expect(text).toContain('### Breaks whoever sends (1)');
  expect(text).toContain('| pattern changed | `save body.name`<br>at `/paths/');
});

test('a text with pipes and backticks stays one cell, as code', () => {
  const text = markdownOf(review(before, after), 'main');
  expect(text).toContain('| `` ^(a\\|b`)$ `` | `` ^(a`)$ `` |');
});

test('text from a contract mentions nobody and is not rendered', () => {
  const said = '@everyone <b>[x](https://localhost)\n| a | row |';
  const hostile = contractOf({ type: 'string', enum: ['a', said] });
  const text = markdownOf(review(hostile, contractOf({ type: 'string', enum: ['a'] })), '`b` @c');
  const outside = text.replace(/(`+)(?!`).*?[^`]\1(?!`)/g, '');
  expect(outside).not.toMatch(/@|<b>|https|row/);
  expect(text).toContain('everyone');
});

test('equal versions are reported in one line', () => {
  expect(markdownOf(review(before, before), 'main')).toBe(
    '## What this does to clients\n\n**Nothing changed.** Compared with `main`; the version stays `1.0.0`.\n',
  );
});

test('an addition is not a breaking change, and requires a minor version', () => {
  const more = contractOf(load(`{${THING.replace('{name', '{more: {}, name')}}`));
  const text = markdownOf(review(before, more), 'main');
  expect(text).toContain('**Nothing breaks.** 2 additions.');
  expect(text).toContain('For additions, it has to be `1.1.0` at least.');
});

test('changes of prose and examples are only listed', () => {
  const words = (text: string) => contract('{}', `tags: [{name: a, description: ${text}}]`);
  const text = markdownOf(review(words('old'), words('new')), 'main');
  expect(text).toContain('**Nothing breaks.**');
  expect(text).toContain('- `/tags`');
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
  const text = markdownOf(review(operations(2000), operations(1)), 'main');
  expect(text.length).toBeLessThan(65_536);
  expect(text).toContain('1999 breaking changes');
  expect(text).toContain('further lines');
});
