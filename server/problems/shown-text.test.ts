import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createKey } from '../auth/secrets.js';
import { showText } from './shown-text.js';

const { text: KEY } = createKey();
const SECRET = KEY.slice(KEY.lastIndexOf('_') + 1);
const JWT = 'eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiJhbm4iLCJleHAiOjE3MDAwMDAwMDB9.c2lnbmF0dXJlLXNpZ25hdHVyZQ';

describe('a text that is shown', () => {
  test.each([
    ['', ''],
    ['an ordinary text', 'an ordinary text'],
    [`Bearer ${KEY}`, 'Bearer roster_…'],
    [`/projects/${KEY}/skills`, '/projects/roster_…/skills'],
    [`Bearer%20${JWT}, twice ${JWT}`, 'Bearer%20eyJ…, twice eyJ…'],
    [`a.${JWT}.b`, 'a.eyJ….b'],
    [`${JWT.split('.').slice(0, 2).join('.')}.`, 'eyJ…'],
    ['roster_sales_2026', 'roster_sales_2026'],
    ['surveyJanuary2026.columns', 'surveyJanuary2026.columns'],
    ['send it as roster_… or eyJ…', 'send it as roster_… or eyJ…'],
  ])('has neither keys nor tokens: %s', (sent, shown) => {
    expect(showText(sent, 200)).toBe(shown);
  });

  /** Pieces of secrets and of what looks like them. */
  const piece = fc.constantFrom(
    ...['roster_', 'eyJ', '.', '_', '-', 'a', 'Z9', 'abcdefgh', '0123456789abcdef', ' ', '/', '😀'],
    ...[KEY, JWT],
  );
  const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));

  test('is masked as by one pattern for each kind of secret', () => {
    // These take the square of the length.
    const masked = (sent: string) =>
      sent
        .replace(/eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, 'eyJ…')
        .replace(/roster_[A-Za-z0-9]+_[A-Za-z0-9]{16,}/g, 'roster_…');
    // A token that follows a key without a space has a mark, too, or none.
    const joined = (shown: string) => shown.replaceAll('eyJ…', '…').replaceAll('……', '…');
    fc.assert(
      fc.property(text, (sent) => {
        expect(joined(showText(sent, 10_000))).toBe(joined(masked(sent)));
      }),
    );
  });

  test('is cut to the length that is shown, between characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (sent, max) => {
        const shown = showText(sent, max);
        expect(shown.length).toBeLessThanOrEqual(max);
        expect(shown).not.toMatch(/\p{Surrogate}/u);
        if (sent.length <= max) expect(shown).toBe(sent);
        else expect(shown.endsWith('…')).toBe(true);
      }),
    );
  });
});

describe('a secret that is cut in its middle', () => {
  const MAX = 100;
  /** Keys fill the characters that are looked at, so that the cut shows. */
  const filled = `${KEY} `.repeat(200);

  test.each(
    [KEY, JWT].flatMap((secret) => Array.from({ length: secret.length }, (_, length) => secret.slice(0, length + 1))),
  )('is masked where it was cut before: %s…', (part) => {
    const shown = showText(`It has "${part}…".`, MAX);
    expect(shown).not.toContain(SECRET.slice(0, 3));
    expect(shown).not.toMatch(/eyJ./u.test(part) ? /eyJ[^…]/ : /\n/);
  });

  test('is masked where it is cut here, wherever that is', () => {
    for (let before = 0; before < 200; before++) {
      const shown = showText(`${'x'.repeat(before)} ${filled}${JWT}`, 2000);
      expect(shown).not.toContain(SECRET.slice(0, 3));
      expect(showText(`${'x'.repeat(before)} ${`${JWT} `.repeat(200)}`, 2000)).not.toMatch(/eyJ[^…]/);
    }
  });
});

test('the rest of a long text is not looked at', () => {
  const long = 'eyJ'.repeat(10_000);
  expect(showText(long + KEY, 100)).toBe(showText(long, 100));
});
