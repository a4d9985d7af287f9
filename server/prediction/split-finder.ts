import { findCategorySplit } from './category-split.js';
import type { BinnedFeatures } from './features.js';
import type { Histogram } from './histogram.js';
import { findOrderedSplit } from './ordered-split.js';
import type { NodeTotals, SplitCandidate } from './split-candidate.js';

/** What trees are grown within. */
export interface GrowthLimits {
  /** At most 32. */
  leaves: number;
  /** The fewest rows of a leaf. */
  leafRows: number;
  /** The most rows, drawn at random for each tree, that a tree is grown on; all of them if not given. */
  treeRows?: number;
}

export interface FoundSplit extends SplitCandidate {
  feature: number;
}

/** The split that lowers the squared error most, over all features; undefined if none does. */
export function findSplit(
  features: BinnedFeatures,
  offsets: readonly number[],
  histogram: Histogram,
  node: NodeTotals,
  limits: GrowthLimits,
): FoundSplit | undefined {
  if (node.rowCount < 2 * limits.leafRows) return undefined;
  let best: FoundSplit | undefined;
  for (const [feature, first] of offsets.entries()) {
    const bins = { histogram, first, count: features.binCounts[feature] ?? 0 };
    const find = features.isCategory[feature] ? findCategorySplit : findOrderedSplit;
    const found = find(bins, node, limits.leafRows, best?.gain ?? 0);
    if (found !== undefined) best = { ...found, feature };
  }
  return best;
}
