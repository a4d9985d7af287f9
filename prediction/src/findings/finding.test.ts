import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RowPlaces } from '../table/rows-read.js';
import { type Finding, mergeFindings } from './finding.js';

function finding(kind: Finding['kind'], column: string | null, more: Partial<Finding> = {}): Finding {
  return { kind, column, rows: null, share: null, places: [], message: kind, effect: null, remedies: [], ...more };
}

describe('findings', () => {
  test('are ordered by what they may do, and then by their share of the rows', () => {
    const few = finding('unread_values', 'a', { share: 0.01 });
    const many = finding('unread_values', 'b', { share: 0.04 });
    const merged = mergeFindings([finding('unused_column', 'c'), few], [many, finding('leak', 'd')]);
    expect(merged.map(({ column }) => column)).toEqual(['d', 'b', 'a', 'c']);
  });

  test('say once that a column is not used, with the reason', () => {
    const constant = finding('constant_column', 'a');
    const unused = [finding('unused_column', 'a'), finding('unused_column', 'b')];
    expect(mergeFindings(unused, [constant])).toEqual([constant, unused[1]]);
  });

  test('of more than are listed, the last one says how many others there are, also after another merge', () => {
    const outliers = Array.from({ length: 60 }, (_, index) => finding('outliers', `o${index}`));
    const constant = Array.from({ length: 240 }, (_, index) => finding('constant_column', `c${index}`));
    const merged = mergeFindings(outliers, constant);
    expect(merged).toHaveLength(100);
    expect(merged.at(-1)).toMatchObject({
      kind: 'further_findings',
      message: '201 more findings are not listed: 201 of the kind constant_column.',
    });
    const more = [
      finding('leak', 'l'),
      ...Array.from({ length: 1200 }, (_, index) => finding('unused_column', `u${index}`)),
    ];
    const again = mergeFindings(merged, more);
    expect(again).toHaveLength(100);
    expect(again[0]?.kind).toBe('leak');
    expect(again.at(-1)?.message).toBe(
      '1,402 more findings are not listed: 202 of the kind constant_column, 1,200 of the kind unused_column.',
    );
  });

  test('of as many as are listed, none is replaced', () => {
    const all = Array.from({ length: 100 }, (_, index) => finding('outliers', `o${index}`));
    expect(mergeFindings(all)).toEqual(all);
  });

  test('are cut to what a client expects, however long the names and texts of a table are', () => {
    const long = 'x'.repeat(5000);
    const places = Array.from({ length: 20 }, (_, row) => ({ row }));
    const remedies = [{ parameter: 'exclude', value: long }, ...'abcd'].map((each) => {
      return typeof each === 'string' ? { parameter: 'exclude', value: each } : each;
    });
    const all = Array.from({ length: 300 }, () =>
      finding('outliers', long, { message: long, effect: long, places, remedies }),
    );
    const merged = mergeFindings(all);
    expect(merged).toHaveLength(100);
    const [first] = merged;
    expect(first?.places).toHaveLength(10);
    expect(first?.remedies.map(({ value }) => value)).toEqual(['a', 'b', 'c']);
    for (const text of [first?.message, first?.effect, first?.column]) expect(text).toHaveLength(1000);
  });
});

test('the place of each row is known, whatever gaps are between the rows', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 400 }),
      fc.boolean(),
      (gaps, hasLines) => {
        const places = new RowPlaces();
        let number = 0;
        const added = gaps.map((gap) => {
          number += gap;
          const place = hasLines ? { line: number } : { row: number };
          places.add(place);
          return place;
        });
        expect(added.map((_, row) => places.at(row))).toEqual(added);
        expect(places.length).toBe(gaps.length);
      },
    ),
  );
});
