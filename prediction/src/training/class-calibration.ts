import { calibrateScores, labelsOf, type ScoredRows } from '../classes/calibrate-scores.js';
import { calibrateSets, type SetCalibration } from '../classes/prediction-sets.js';
import { ProbabilityEstimator, type ScoreCalibration } from '../classes/probabilities.js';

/** The calibration of scores to probabilities and sets. */
export interface ClassCalibration {
  probabilities: ScoreCalibration;
  sets: SetCalibration;
}

/** Calibrates probabilities, and then sets of classes by these, on rows that forests were not trained on. */
export function calibrateClasses(rows: ScoredRows): ClassCalibration {
  const probabilities = calibrateScores(rows);
  const ofRows = new ProbabilityEstimator(probabilities).ofRows(rows.scores, rows.rows);
  return { probabilities, sets: calibrateSets(ofRows, labelsOf(rows), rows.classCount) };
}
