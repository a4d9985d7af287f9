import { describe, expect, test } from 'vitest';
import { widthAt } from './conformal.js';

/** The scores 1, 2 … `count`. */
function scoresTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

describe('the width of an interval', () => {
  test('is the smallest score that keeps the level for a row beside those of the calibration', () => {
    // The 90th of 99 scores: a hundredth row is as likely to have any rank among them.
    expect(widthAt(scoresTo(99), 0.9)).toEqual({ level: 0.9, score: 90 });
    expect(widthAt(scoresTo(99), 0.901)).toEqual({ level: 0.901, score: 91 });
    // 100 × 0.07 is 7.000000000000001 in doubles.
    expect(widthAt(scoresTo(99), 0.07)).toEqual({ level: 0.07, score: 7 });
    expect(widthAt(scoresTo(20), 0.9)).toEqual({ level: 0.9, score: 19 });
  });

  test('is the largest score where the calibration cannot vouch for more', () => {
    expect(widthAt(scoresTo(20), 0.99)).toEqual({ level: 0.95, score: 20 });
  });

  test('keeps more than the level where many rows have the same score', () => {
    expect(widthAt([...Array(79).fill(0), ...scoresTo(20)], 0.5)).toEqual({ level: 0.79, score: 0 });
  });
});
