import type { Forest, Split, Tree } from '../trees/forest/tree.js';
import type { Steps } from '../trees/steps.js';
import { type GraphBuilder, Tensor, type Value } from './graph.js';

/** The modes of nodes of `TreeEnsemble`: https://onnx.ai/onnx/operators/onnx_aionnxml_TreeEnsemble.html */
const MODE = { leq: 0, eq: 4, member: 6 } as const;

const SUM = 1;

/** A node of a tree in the form that ONNX has: a leaf, or a question to a column of the input. */
export type Node = { readonly leaf: number } | Question;

interface Question {
  readonly column: number;
  /** Goes to `yes` if the value is at most a number, or is one of some. */
  readonly test: number | readonly number[];
  /** True if NaN goes to `yes`. */
  readonly missing: boolean;
  readonly yes: Node;
  readonly no: Node;
}

/** A column of the matrix that the trees of a model read. */
export type TreeColumn =
  /** Numbers, where NaN is bin 0, and bin b holds those above cut b − 2, up to cut b − 1. */
  | { readonly kind: 'ordered'; readonly cuts: readonly number[] }
  /** Codes: bin + 1. Sets of small numbers from 1 on are tested in one step. */
  | { readonly kind: 'category'; readonly binCount: number };

/**
 * Adds the forests of a model: rows × columns in, rows × forests out, each sum in the order of the trees, from the
 * base on.
 */
export function* addForests(
  graph: GraphBuilder,
  matrix: Value,
  forests: readonly Forest[],
  columns: readonly TreeColumn[],
): Steps<Value> {
  const writer = new EnsembleWriter();
  for (const [target, { base, trees }] of forests.entries()) {
    writer.tree({ leaf: base }, target);
    for (const tree of trees) {
      writer.tree(treeNode(tree, columns), target);
      yield;
    }
  }
  return writer.add(graph, matrix, forests.length);
}

/** Adds separate trees, whose leaves are summed: rows × columns in, rows × 1 out. */
export function addTree(graph: GraphBuilder, matrix: Value, root: Node): Value {
  const writer = new EnsembleWriter();
  writer.tree(root, 0);
  return writer.add(graph, matrix, 1);
}

/**
 * Returns a tree that finds the place of a value among ascending bounds: the leaf at the number of bounds that are
 * below it.
 *
 * @param leaves one more than bounds
 */
export function searchTree(column: number, bounds: readonly number[], leaves: readonly Node[]): Node {
  const find = (low: number, high: number): Node => {
    if (low === high) return leaves[low] ?? { leaf: 0 };
    const middle = (low + high) >> 1;
    const [yes, no] = [find(low, middle), find(middle + 1, high)];
    return { column, test: bounds[middle] ?? 0, missing: false, yes, no };
  };
  return find(0, bounds.length);
}

function treeNode({ splits, leaves }: Tree, columns: readonly TreeColumn[]): Node {
  const nodeAt = (child: number): Node => {
    const split = child < 0 ? undefined : splits[child];
    return split ? question(split, columns, nodeAt) : { leaf: leaves[~child] ?? 0 };
  };
  return nodeAt(splits.length > 0 ? 0 : -1);
}

function question(
  { feature, left_bins, left, right }: Split,
  columns: readonly TreeColumn[],
  nodeAt: (child: number) => Node,
): Node {
  const column = columns[feature];
  const goesLeft = new Set<number>();
  for (let at = 0; at < left_bins.length; at += 2) {
    for (let bin = left_bins[at] ?? 0; bin <= (left_bins[at + 1] ?? 0); bin++) goesLeft.add(bin);
  }
  const [yes, no] = [nodeAt(left), nodeAt(right)];
  if (column?.kind === 'category') {
    const bins = Array.from({ length: column.binCount }, (_, bin) => bin);
    const some = bins.filter((bin) => goesLeft.has(bin));
    const others = bins.filter((bin) => !goesLeft.has(bin));
    const fewer = some.length <= others.length;
    const test = (fewer ? some : others).map((bin) => bin + 1);
    const [inside, outside] = fewer ? [yes, no] : [no, yes];
    if (test.length === 0) return outside;
    return { column: feature, test, missing: false, yes: inside, no: outside };
  }
  const cuts = column?.cuts ?? [];
  const missing = goesLeft.delete(0);
  const last = goesLeft.size;
  for (let bin = 1; bin <= last; bin++) {
    if (!goesLeft.has(bin)) throw new Error('A split of ordered bins is not at a threshold.');
  }
  // Above the last cut there is one bin more; without any bin, only missing values are apart.
  const test = cuts[last - 1] ?? (last === 0 ? Number.NaN : Number.POSITIVE_INFINITY);
  return Number.isNaN(test)
    ? { column: feature, test: Infinity, missing: !missing, yes: no, no: yes }
    : { column: feature, test, missing, yes, no };
}

/** Lays trees out as the attributes of one `TreeEnsemble`. */
class EnsembleWriter {
  readonly #roots: number[] = [];
  readonly #columns: number[] = [];
  readonly #modes: number[] = [];
  readonly #thresholds: number[] = [];
  readonly #missing: number[] = [];
  readonly #children = { yes: new Children(), no: new Children() };
  readonly #targets: number[] = [];
  readonly #weights: number[] = [];
  /** The sets in the order of their nodes, with NaN behind each. */
  readonly #members: number[] = [];

  tree(root: Node, target: number): void {
    this.#roots.push(this.#columns.length);
    // A tree is a node at least; both its sides may be the same leaf.
    if ('leaf' in root) this.#question({ ...ANY, yes: root, no: root }, target);
    else this.#question(root, target);
  }

  add(graph: GraphBuilder, matrix: Value, targets: number): Value {
    const { yes, no } = this.#children;
    const attributes = {
      aggregate_function: SUM,
      leaf_targetids: this.#targets,
      leaf_weights: Tensor.doubles(this.#weights),
      ...(this.#members.length > 0 && { membership_values: Tensor.doubles(this.#members) }),
      n_targets: targets,
      nodes_falseleafs: no.isLeaf,
      nodes_falsenodeids: no.index,
      nodes_featureids: this.#columns,
      nodes_missing_value_tracks_true: this.#missing,
      nodes_modes: Tensor.bytes(this.#modes),
      nodes_splits: Tensor.doubles(this.#thresholds),
      nodes_trueleafs: yes.isLeaf,
      nodes_truenodeids: yes.index,
      post_transform: 0,
      tree_roots: this.#roots,
    };
    return graph.add('TreeEnsemble', [matrix], attributes, 'ai.onnx.ml');
  }

  /** Returns the index of the node. */
  #question({ column, test, missing, yes, no }: Question, target: number): number {
    const at = this.#columns.length;
    this.#columns.push(column);
    this.#missing.push(missing ? 1 : 0);
    this.#children.yes.push();
    this.#children.no.push();
    if (typeof test === 'number') {
      this.#modes.push(MODE.leq);
      this.#thresholds.push(test);
    } else if (test.length === 1) {
      this.#modes.push(MODE.eq);
      this.#thresholds.push(test[0] ?? 0);
    } else {
      this.#modes.push(MODE.member);
      this.#thresholds.push(0);
      this.#members.push(...test, Number.NaN);
    }
    this.#children.yes.set(at, 'leaf' in yes, this.#node(yes, target));
    this.#children.no.set(at, 'leaf' in no, this.#node(no, target));
    return at;
  }

  #node(node: Node, target: number): number {
    if (!('leaf' in node)) return this.#question(node, target);
    this.#targets.push(target);
    return this.#weights.push(node.leaf) - 1;
  }
}

/** A question whose answer does not matter. */
const ANY = { column: 0, test: 0, missing: false };

/** The children of all nodes on one side. */
class Children {
  readonly isLeaf: number[] = [];
  readonly index: number[] = [];

  push(): void {
    this.isLeaf.push(0);
    this.index.push(0);
  }

  set(node: number, isLeaf: boolean, index: number): void {
    this.isLeaf[node] = isLeaf ? 1 : 0;
    this.index[node] = index;
  }
}
