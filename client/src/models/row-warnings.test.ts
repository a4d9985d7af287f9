import { describe, expect, test } from 'vitest';
import { rowWarnings } from '../index.js';

const warned = (field: string) => rowWarnings(new Response(null, { headers: { 'Row-Warnings': field } }));

describe('rowWarnings', () => {
  test('an answer without the header has none', () => {
    expect(rowWarnings(new Response())).toEqual({ warnings: [], more: 0 });
  });

  test('reads each member, and how many there are beside', () => {
    const field =
      'no-column;rows=2, unknown-name;rows=3;name="colour";nearest="color", out-of-range;rows=1;name="age", new-category;rows=1;name="cut", more;count=7';
    expect(warned(field)).toEqual({
      warnings: [
        { kind: 'no-column', name: null, rows: 2, nearest: null },
        { kind: 'unknown-name', name: 'colour', rows: 3, nearest: 'color' },
        { kind: 'out-of-range', name: 'age', rows: 1, nearest: null },
        { kind: 'new-category', name: 'cut', rows: 1, nearest: null },
      ],
      more: 7,
    });
  });

  test('reads names of any characters', () => {
    const field = String.raw`unknown-name;rows=1;name="a \"b\", c;d=\\";nearest=%"gr%c3%b6%c3%9fe %22\"`;
    expect(warned(field).warnings).toEqual([
      { kind: 'unknown-name', name: 'a "b", c;d=\\', rows: 1, nearest: 'größe "\\' },
    ]);
  });

  test('passes over a kind that a later release may add', () => {
    const { warnings } = warned('too-old;rows=1;name="day";by=?1, new-category;rows=1;name="cut"');
    expect(warnings.map(({ kind }) => kind)).toEqual(['new-category']);
  });
});
