import { describe, expect, test } from 'vitest';
import { calibrateSets, SetChooser } from './prediction-sets.js';

/** The class that is likelier than those in question. */
const OTHER = 1;

describe('a set', () => {
  /** The truth of 99 rows had the probabilities 0.01, 0.02 … 0.99. */
  const probabilities = Float64Array.from({ length: 198 }, (_, index) => {
    const ofTruth = ((index >> 1) + 1) / 100;
    return index % 2 === 0 ? ofTruth : 1 - ofTruth;
  });
  const calibration = calibrateSets(probabilities, new Uint16Array(99), 2);

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
    const few = calibrateSets(probabilities.slice(0, 100), new Uint16Array(50), 2);
    expect(new SetChooser(few, 0.99).holds(0, 0, OTHER)).toBe(true);
  });
});
