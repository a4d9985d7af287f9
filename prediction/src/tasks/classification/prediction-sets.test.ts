import { describe, expect, test } from 'vitest';
import { calibrateSets, markRareClasses, SetChooser } from './prediction-sets.js';

/** The class that is likelier than those in question. */
const OTHER = 1;

describe('a set', () => {
  /** The truth of 99 rows had the probabilities 0.01, 0.02 … 0.99. */
  const probabilities = Float64Array.from({ length: 198 }, (_, index) => {
    const ofTruth = ((index >> 1) + 1) / 100;
    return index % 2 === 0 ? ofTruth : 1 - ofTruth;
  });
  const calibration = calibrateSets(probabilities, new Uint16Array(99), [false, true]);

  test.each([
    [0.5, 0.5],
    [0.9, 0.1],
    [0.99, 0.01],
  ])('at %d holds the classes from a probability of %d on', (confidence, least) => {
    const chooser = new SetChooser(calibration, confidence);
    expect(chooser.holds(least, 0, OTHER)).toBe(true);
    expect(chooser.holds(least - 1e-5, 0, OTHER)).toBe(false);
  });

  test('always holds the likeliest class', () => {
    expect(new SetChooser(calibration, 0.5).holds(0.001, 0, 0)).toBe(true);
  });

  test('holds every class where too few rows vouch for a threshold', () => {
    const few = calibrateSets(probabilities.slice(0, 100), new Uint16Array(50), [false, true]);
    expect(new SetChooser(few, 0.99).holds(0, 0, OTHER)).toBe(true);
  });
});

describe('rare classes', () => {
  // The last two classes are rare, and improbable also in their own rows.
  const rowsOf = [200, 12, 8];
  const labels = Uint16Array.from(rowsOf.flatMap((rows, label) => Array.from({ length: rows }, () => label)));
  const probabilities = Float64Array.from(
    [...labels].flatMap((label, row) => {
      const own = label === 0 ? 0.98 : 0.02 + 0.001 * (row - 200);
      return [0, 1, 2].map((index) => (index === label ? own : (1 - own) / 2));
    }),
  );
  const isRare = markRareClasses(labels, 3);

  test.each([0.5, 0.9, 0.95])('are in the sets of their rows with a confidence of %d', (confidence) => {
    const chooser = new SetChooser(calibrateSets(probabilities, labels, isRare), confidence);
    const own = [...labels.keys()].filter((row) => (labels[row] ?? 0) > 0);
    const held = own.filter((row) => {
      const label = labels[row] ?? 0;
      return chooser.holds(probabilities[3 * row + label] ?? 0, label, 0);
    });
    expect(held.length / own.length).toBeGreaterThanOrEqual(confidence);
    expect(held.length / own.length).toBeLessThanOrEqual(confidence + 0.05);
  });

  test('are in every set where no rows vouch for a threshold', () => {
    const chooser = new SetChooser(calibrateSets(probabilities.slice(0, 600), labels.slice(0, 200), isRare), 0.5);
    expect([1, 2].map((index) => chooser.holds(0, index, 0))).toEqual([true, true]);
  });
});
