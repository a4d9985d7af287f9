import { widestReach } from '../intervals/conformal.js';
import { lengthFromStandard, Rounding } from '../intervals/target-range.js';
import type { RegressionModel } from '../tasks/regression/model.js';
import type { Steps } from '../trees/steps.js';
import type { Arithmetic } from './arithmetic.js';
import type { Value } from './graph.js';
import { type GraphInputs, ROWS } from './inputs.js';
import { type AskedConfidence, addBounds, addReach, addSupport } from './intervals.js';
import { addForests } from './trees.js';

/** Adds what `PredictedNumbers` answers: value, bounds, and the confidence that they keep. */
export function* addRegression(
  arithmetic: Arithmetic,
  model: RegressionModel,
  inputs: GraphInputs,
  asked: AskedConfidence,
): Steps<void> {
  const { graph, plus, choose } = arithmetic;
  const { matrix, columns, isPartial } = inputs;
  const { partial_rows, target_scale, target_support, target_deviation } = model;
  const widest = widestReach(target_deviation);
  let standard = yield* addForests(graph, matrix, [model.value_forest], columns);
  let { level, reach } = yield* addReach(arithmetic, model, inputs, asked, widest);
  if (partial_rows && isPartial) {
    const correction = yield* addForests(graph, matrix, [partial_rows.correction_forest], columns);
    standard = choose(isPartial, plus(standard, correction), standard);
    const partial = yield* addReach(arithmetic, partial_rows, inputs, asked, widest);
    level = choose(isPartial, partial.level, level);
    reach = choose(isPartial, partial.reach, reach);
  }
  const { scale } = new Rounding(lengthFromStandard(target_scale, target_deviation));
  const bounds = addBounds(arithmetic, target_scale, scale, standard, reach);
  const { value, min, max } = addSupport(arithmetic, target_support, bounds);
  const output = (name: string, number: Value) => {
    // Turns −0 into 0, as answers do. Adding 0 would be optimised away.
    const plain = choose(graph.add('Equal', [number, 0]), 0, number);
    graph.output(name, flatten(arithmetic, plain), 'double', [ROWS]);
  };
  output('value', value);
  output('lower', min);
  output('upper', max);
  output('level', level);
}

/** Makes rows × 1 a list. */
export function flatten({ graph }: Arithmetic, column: Value): Value {
  return graph.add('Squeeze', [column, graph.longs([1])]);
}
