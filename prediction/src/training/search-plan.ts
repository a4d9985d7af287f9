import type { Learner } from '../trees/boosting/learner.js';
import { boostToBest } from './boost-to-best.js';
import type { BoostingPlan } from './boosting-plan.js';
import type { Objective } from './folds.js';
import { openShare } from './progress.js';

type Tree = BoostingPlan['tree'];

/** The settings that a short search tries, one change after the other: those that gained most on public tables. */
const FIRST_CHANGES: readonly ((tree: Tree) => Tree)[] = [
  (tree) => ({ ...tree, minRowsPerLeaf: 2, lambda: 2 }),
  (tree) => ({ ...tree, maxLeaves: 8 }),
  (tree) => ({ ...tree, featureShare: 0.3 }),
  (tree) => ({ ...tree, maxLeaves: 31 }),
];

/** Those that a whole search tries. */
const CHANGES: typeof FIRST_CHANGES = [
  ...FIRST_CHANGES,
  (tree) => ({ ...tree, featureShare: 1 }),
  (tree) => ({ ...tree, minRowsPerLeaf: 20 }),
  (tree) => ({ ...tree, rowShare: 0.5 }),
];

/** The learning rate of trials, which are compared with each other alone, and their patience. */
const TRIAL = { learningRate: 0.1, patience: 20 };

/** The most rounds of a trial of a short search: where more still help, so many show which trees are better. */
const MAX_SHORT_ROUNDS = 200;

/** A change is kept when it lowers the loss by this share: less may be chance. */
const MIN_GAIN = 2e-3;

/**
 * Returns the plan with the trees that predict test sets best. One setting after the other is changed, and kept where
 * the loss falls (coordinate descent): five trials, or eight of a whole search, with a high learning rate.
 *
 * @param sets the training and test rows of each fold, of the learner's; ascending.
 * @param isLate ends a trial, and the search with the best plan so far.
 * @param onShare receives the share of the search that is done, 0 to 1.
 */
export function searchPlan<O extends Objective<O>>(
  learner: Learner,
  objective: O,
  sets: readonly { readonly train: Uint32Array; readonly test: Uint32Array }[],
  plan: BoostingPlan,
  isLate: () => boolean,
  onShare: (done: number) => void,
): BoostingPlan {
  if (plan.search === 'none') return plan;
  const tested = Uint32Array.from(sets.flatMap(({ test }) => [...test]));
  const learningRate = Math.max(TRIAL.learningRate, plan.learningRate);
  const changes = plan.search === 'whole' ? CHANGES : FIRST_CHANGES;
  const maxRounds = plan.search === 'whole' ? plan.maxRounds : Math.min(plan.maxRounds, MAX_SHORT_ROUNDS);
  let trial = 0;
  const lossOf = (tree: Tree) => {
    const parts = sets.map(({ train, test }) => {
      return { test, booster: learner.booster(train, tree, objective.createLoss(learningRate)) };
    });
    const limits = { maxRounds, patience: TRIAL.patience, isLate };
    const { loss } = boostToBest(learner, objective, tested, parts, limits, (round) => {
      onShare((trial + openShare(round)) / (1 + changes.length));
    });
    trial++;
    return loss;
  };
  let best = { tree: plan.tree, loss: lossOf(plan.tree) };
  for (const change of changes) {
    if (isLate()) break;
    const tree = change(best.tree);
    const loss = lossOf(tree);
    if (loss < best.loss * (1 - MIN_GAIN)) best = { tree, loss };
  }
  return { ...plan, tree: best.tree };
}
