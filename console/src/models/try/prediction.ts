import type { Model, PredictionRow } from 'roster-client';

export interface NumberPrediction {
  readonly task: 'regression';
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly confidence: number;
}

/** A prediction of a class, with the probabilities of all classes, the most likely first. */
export interface ClassPrediction {
  readonly task: 'classification';
  readonly value: string;
  readonly confidence: number;
  readonly set: readonly string[];
  readonly probabilities: ReadonlyMap<string, number>;
}

/** A prediction, as the task of its model says. */
export type Prediction = NumberPrediction | ClassPrediction;

/**
 * Reads a prediction from a row of an answer.
 * @throws Error if the row is not of this model, as when another version has begun to serve
 */
export function readPrediction(row: PredictionRow, { target, task }: Model): Prediction {
  const value = row[target];
  const confidence = Number(row[`${target}_confidence`]);
  if (task === 'regression' && typeof value === 'number') {
    const low = Number(row[`${target}_min`]);
    const high = Number(row[`${target}_max`]);
    return { task, value, low, high, confidence };
  }
  if (task === 'classification' && typeof value === 'string') {
    const set = row[`${target}_set`];
    return {
      task,
      value,
      confidence,
      set: Array.isArray(set) ? set.map(String) : [],
      probabilities: readProbabilities(row[`${target}_explain`]),
    };
  }
  throw new Error('Another version may answer predictions now. Load the page again.');
}

const PREFIX = 'probability_class_';

function readProbabilities(explain: unknown): Map<string, number> {
  const parsed: unknown = typeof explain === 'string' ? JSON.parse(explain) : null;
  const entries = Object.entries(parsed ?? {})
    .filter(([key]) => key.startsWith(PREFIX))
    .map(([key, share]): [string, number] => [key.slice(PREFIX.length), Number(share)]);
  return new Map(entries.sort((a, b) => b[1] - a[1]));
}
