import type { ClassificationModel } from '../tasks/classification/model.js';
import { LEVELS, type SetCalibration } from '../tasks/classification/prediction-sets.js';
import type { ScoreCalibration } from '../tasks/classification/probabilities.js';
import { STEPS } from '../tasks/classification/server.js';
import type { Steps } from '../trees/steps.js';
import type { Arithmetic } from './arithmetic.js';
import { Tensor, type Value } from './graph.js';
import { type GraphInputs, ROWS } from './inputs.js';
import { flatten } from './regression.js';
import { addForests } from './trees.js';

/** Adds what `PredictedClasses` answers: the class, its probability, that of each class, and the set. */
export function* addClassification(
  arithmetic: Arithmetic,
  model: ClassificationModel,
  { matrix, columns, isPartial }: GraphInputs,
  confidence: Value,
): Steps<void> {
  const { graph, plus, choose, times, over, round, pick, atLeast, toIndex } = arithmetic;
  const { classes, class_forests, partial_rows } = model;
  let scores = yield* addForests(graph, matrix, class_forests, columns);
  let exact = addProbabilities(arithmetic, model.probabilities, scores);
  let thresholds = addThresholds(arithmetic, model.sets, confidence);
  if (partial_rows && isPartial) {
    const corrections = yield* addForests(graph, matrix, partial_rows.correction_forests, columns);
    scores = plus(scores, corrections);
    exact = choose(isPartial, addProbabilities(arithmetic, partial_rows.probabilities, scores), exact);
    const ofPartial = addThresholds(arithmetic, partial_rows.sets, confidence);
    thresholds = choose(isPartial, ofPartial, thresholds);
  }
  const names = graph.tensor(Tensor.strings(classes.map(({ name }) => name)));
  const likeliest = graph.add('ArgMax', [exact], { axis: 1, keepdims: 1 });
  const probabilities = over(round(times(exact, STEPS)), STEPS);
  const probability = graph.add('GatherElements', [probabilities, likeliest], { axis: 1 });
  const indexes = graph.longs([...classes.keys()]);
  const isLikeliest = graph.add('Equal', [toIndex(likeliest), indexes]);
  const set = graph.add('Or', [atLeast(exact, thresholds), isLikeliest]);
  graph.output('class', flatten(arithmetic, pick(names, likeliest)), 'string', [ROWS]);
  graph.output('probability', flatten(arithmetic, probability), 'double', [ROWS]);
  graph.output('probabilities', probabilities, 'double', [ROWS, classes.length]);
  graph.output('set', set, 'bool', [ROWS, classes.length]);
}

/** Adds the probabilities of scores, as `ProbabilityEstimator` has them: rows × classes. */
function addProbabilities(
  { graph, plus, minus, times, over }: Arithmetic,
  { scale, shifts, shares, share_weight }: ScoreCalibration,
  scores: Value,
): Value {
  const axis = graph.longs([1]);
  // With two classes, the score of the first is 0.
  const all = shifts.length === 2 ? graph.add('Concat', [times(scores, 0), scores], { axis: 1 }) : scores;
  const shifted = plus(times(all, scale), graph.tensor(Tensor.doubles(shifts)));
  const most = graph.add('ReduceMax', [shifted, axis], { keepdims: 1 });
  const powers = graph.add('Exp', [minus(shifted, most)]);
  const sum = graph.add('ReduceSum', [powers, axis], { keepdims: 1 });
  const mixed = graph.tensor(Tensor.doubles(shares.map((share) => share_weight * share)));
  return plus(times(over(1 - share_weight, sum), powers), mixed);
}

/** Adds the thresholds of the classes, as `SetChooser` has them; above the highest confidence, all are 0. */
function addThresholds(
  { graph, minus, times, ceil, toIndex, pick }: Arithmetic,
  { groups, thresholds }: SetCalibration,
  confidence: Value,
): Value {
  const table = Array.from({ length: LEVELS + 1 }, (_, level) =>
    groups.map((group) => thresholds[group]?.[level] ?? 0),
  );
  const rows = graph.tensor(Tensor.doubles(table.flat(), [LEVELS + 1, groups.length]));
  const level = toIndex(minus(ceil(minus(times(confidence, LEVELS + 1), 1e-9)), 1));
  return pick(rows, level);
}
