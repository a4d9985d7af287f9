import type { Forest, Split, Tree } from 'roster-prediction/internals';

/**
 * Writes a forest as a model of XGBoost, in its JSON format, that splits on bins instead of values.
 *
 * @param forest of columns of numbers, without missing values; the numbers of its leaves fit into float32.
 * @throws {RangeError} if a split is none of XGBoost: it sends other bins left than those up to one.
 */
export function writeXgboostModel({ base, trees }: Forest, featureCount: number): string {
  const sizes = { num_trees: String(trees.length), num_parallel_tree: '1', size_leaf_vector: '0' };
  const booster = {
    name: 'gbtree',
    model: {
      gbtree_model_param: sizes,
      trees: trees.map((tree, id) => writeTree(tree, id, featureCount)),
      tree_info: trees.map(() => 0),
    },
  };
  return JSON.stringify({
    version: [1, 7, 4],
    learner: {
      attributes: {},
      feature_names: [],
      feature_types: [],
      gradient_booster: booster,
      learner_model_param: {
        base_score: String(base),
        num_class: '0',
        num_feature: String(featureCount),
        num_target: '1',
      },
      objective: { name: 'reg:squarederror', reg_loss_param: { scale_pos_weight: '1' } },
    },
  });
}

/** XGBoost's parent of a root. */
const NO_PARENT = 2 ** 31 - 1;

/** Numbers the nodes anew: XGBoost takes for granted that a right child follows its left one. */
function writeTree({ splits, leaves, covers = [] }: Tree, id: number, featureCount: number): object {
  const nodes = [splits.length > 0 ? 0 : ~0];
  const parents = [NO_PARENT];
  const left: number[] = [];
  const right: number[] = [];
  for (let node = 0; node < nodes.length; node++) {
    const split = splits[nodes[node] ?? ~0];
    left.push(split ? nodes.length : -1);
    right.push(split ? nodes.length + 1 : -1);
    if (!split) continue;
    nodes.push(split.left, split.right);
    parents.push(node, node);
  }
  const rows = nodes.map((child) => (child < 0 ? (covers[~child] ?? 0) : 0));
  // Every node is before its children.
  for (let node = nodes.length - 1; node > 0; node--) {
    const parent = parents[node] ?? 0;
    rows[parent] = (rows[parent] ?? 0) + (rows[node] ?? 0);
  }
  const zeros = nodes.map(() => 0);
  const conditionOf = (child: number) => {
    const split = splits[child];
    return split ? lastLeft(split) + 0.5 : (leaves[~child] ?? 0);
  };
  return {
    id,
    base_weights: zeros,
    categories: [],
    categories_nodes: [],
    categories_segments: [],
    categories_sizes: [],
    default_left: zeros,
    left_children: left,
    loss_changes: zeros,
    parents,
    right_children: right,
    split_conditions: nodes.map(conditionOf),
    split_indices: nodes.map((child) => splits[child]?.feature ?? 0),
    split_type: zeros,
    sum_hessian: rows,
    tree_param: {
      num_deleted: '0',
      num_feature: String(featureCount),
      num_nodes: String(nodes.length),
      size_leaf_vector: '0',
    },
  };
}

/** Returns the last bin that goes left. Bin 0, of missing values, may go either way. */
function lastLeft({ left_bins: [first = 0, last = 0, ...others] }: Split): number {
  if (first > 1 || last === 0 || others.length > 0) throw new RangeError('The split is none of XGBoost.');
  return last;
}
