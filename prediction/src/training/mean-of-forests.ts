import type { Booster } from '../trees/boosting/booster.js';
import type { Learner } from '../trees/boosting/learner.js';
import type { Forest } from '../trees/forest/tree.js';
import { type BoostingPlan, countForests } from './boosting-plan.js';
import type { Fitted, Objective } from './folds.js';

/**
 * Boosts some rows as often as the plan says, each time with other samples, and returns the forests whose scores are
 * the means of those of all boostings: their trees side by side, each with its share (bagging, Breiman 1996).
 *
 * @param rows ascending.
 * @param isLate ends with the boostings so far, at least one.
 * @param beginStage begins a stage of so many boostings; its callback receives the number of rounds that all of them have done.
 */
export function fitMean<O extends Objective<O>>(
  learner: Learner,
  objective: O,
  rows: Uint32Array,
  plan: BoostingPlan,
  rounds: number,
  isLate: () => boolean,
  beginStage: (count: number) => (done: number) => void,
): Pick<Fitted<O>, 'forests' | 'gains'> {
  const count = countForests(plan, rounds * objective.forestCount, rows.length);
  const { tree, learningRate } = plan;
  const onRound = beginStage(count);
  const boosters: Booster[] = [];
  do {
    const { length: index } = boosters;
    const seed = (tree.seed ?? 0) + index;
    const booster = learner.booster(rows, { ...tree, seed }, objective.createLoss(learningRate));
    booster.addRounds(rounds, (round) => onRound(index * rounds + round));
    boosters.push(booster);
  } while (boosters.length < count && !isLate());
  const [first] = boosters;
  if (first === undefined || boosters.length === 1) return { forests: first?.forests ?? [], gains: first?.gains ?? [] };
  return {
    forests: first.forests.map((_, index) => meanOf(boosters.flatMap(({ forests }) => forests[index] ?? []))),
    gains: first.gains.map((_, index) => boosters.flatMap(({ gains }) => gains[index] ?? [])),
  };
}

function meanOf(forests: readonly Forest[]): Forest {
  const share = 1 / forests.length;
  return {
    base: forests.reduce((sum, { base }) => sum + share * base, 0),
    trees: forests.flatMap(({ trees }) =>
      trees.map((tree) => ({ ...tree, leaves: tree.leaves.map((leaf) => share * leaf) })),
    ),
  };
}
