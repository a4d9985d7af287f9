import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../../../testkit/any-text.js';
import { splitText } from './split-text.js';

function passagesOf(text: string, hasHeadings = true) {
  return [...splitText(text, hasHeadings)].flatMap((passage) => {
    if (!passage) return [];
    const { begin, end, headings } = passage;
    return [{ content: text.slice(begin, end), headings }];
  });
}

/** A sentence of exactly that many characters. */
const sentence = (length: number) => `${'word '.repeat(length).slice(0, length - 2)}. `;

/** Texts with all that the splitter looks for: headings, fences, blank lines, pairs, long words. */
const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom('# A\n', '## Ü\n', 'T\n===\n', '```\n', '\n', '\r\n\r\n', '. ', '。', ' ', '😀'),
      anyText({ maxLength: 40 }),
      fc.integer({ min: 1, max: 4000 }).map((length) => '😀'.repeat(length)),
      fc.integer({ min: 2, max: 4000 }).map(sentence),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

test('the passages of a text are the text, each within the sizes and of whole characters', () => {
  fc.assert(
    fc.property(texts, fc.boolean(), (text, hasHeadings) => {
      const passages = passagesOf(text, hasHeadings).map(({ content }) => content);
      expect(passages.join('')).toBe(text);
      for (const [index, passage] of passages.entries()) {
        expect(passage.length).toBeLessThanOrEqual(1500);
        if (index < passages.length - 1) expect(passage.length).toBeGreaterThanOrEqual(400);
        expect(/^[\udc00-\udfff]|[\ud800-\udbff]$/.test(passage)).toBe(false);
      }
    }),
  );
});

test('a word of up to 700 characters stays whole', () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,700}$/), { maxLength: 60 });
  fc.assert(
    fc.property(words, (words) => {
      const text = words.join(' ');
      expect(passagesOf(text).flatMap(({ content }) => content.match(/\w+/g) ?? [])).toEqual(words);
    }),
  );
});

test('a heading begins a passage, and the passages below it have its path', () => {
  const text = [
    `# Care\n\n${sentence(500)}\n`,
    `## Cleaning\n\n${sentence(900)}\n\n${sentence(700)}\n`,
    `Storing\n-------\n\n${sentence(500)}\n`,
    `# Prices ##\n${sentence(500)}`,
  ].join('\n');
  expect(passagesOf(text).map(({ content, headings }) => [headings, content.split('\n')[0]?.slice(0, 12)])).toEqual([
    ['', '# Care'],
    ['Care', '## Cleaning'],
    ['Care > Cleaning', 'word word wo'],
    ['Care', 'Storing'],
    ['', '# Prices ##'],
  ]);
});

test('short sections share a passage', () => {
  const sections = Array.from({ length: 100 }, (_, index) => `# Section ${index}\n\nShort.\n\n`);
  const passages = passagesOf(sections.join(''));
  expect(passages.length).toBeLessThan(10);
});

test.each([
  ['of plain text', '# Not a heading\n', false],
  ['in a fence', '```sh\n# Not a heading\n```\n', true],
  ['in a fence with another fence in it', '````\n```\n# Not a heading\n````\n', true],
  ['without a space', '#not\n', true],
  ['above a table', '| a |\n|---|\n', true],
  ['of a list item above a rule', '- a\n---\n', true],
])('a line %s is not a heading', (_what, line, hasHeadings) => {
  const passages = passagesOf(`${sentence(1000)}\n\n${line}\n${sentence(1000)}`, hasHeadings);
  expect(passages.map(({ headings }) => headings).join('')).toBe('');
});

test('a long paragraph is cut at a line, else a sentence, else a word', () => {
  const first = (text: string) => passagesOf(text)[0]?.content.length;
  expect(first(`${'a '.repeat(500)}. ${'b '.repeat(100)}\n${'c '.repeat(1000)}`)).toBe(1203);
  expect(first(`${'a '.repeat(500)}. ${'b '.repeat(1000)}`)).toBe(1002);
  expect(first(`${'字'.repeat(999)}。${'字'.repeat(1000)}`)).toBe(1000);
  expect(first(`${'a'.repeat(999)} ${'b'.repeat(1000)}`)).toBe(1000);
  expect(first('a'.repeat(2000))).toBe(1500);
});

test.each(['```\n', 'word\n'])('lets others work within a long paragraph of %j', (line) => {
  const [first] = splitText(line.repeat(50_000), true);
  expect(first).toBeUndefined();
});
