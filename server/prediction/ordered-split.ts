import { MISSING_BIN } from './encoder.js';
import {
  type FeatureBins,
  type NodeTotals,
  type SplitCandidate,
  squaresExplained,
} from './split-candidate.js';

/**
 * The best threshold of a number or a date, if it gains more than `leastGain`. Missing values are
 * tried on either side; where the node has none, they follow the larger child.
 */
export function findOrderedSplit(
  bins: FeatureBins,
  node: NodeTotals,
  leafRows: number,
  leastGain: number,
): SplitCandidate | undefined {
  const missingAt = 2 * (bins.first + MISSING_BIN);
  const residualSum = bins.histogram[missingAt] ?? 0;
  const rowCount = bins.histogram[missingAt + 1] ?? 0;
  const none = { residualSum: 0, rowCount: 0 };
  const onRight = bestThreshold(bins, node, leafRows, none, leastGain);
  if (rowCount === 0) {
    return onRight && candidate(onRight, 2 * onRight.left.rowCount > node.rowCount);
  }
  const missing = { residualSum, rowCount };
  const onLeft = bestThreshold(bins, node, leafRows, missing, onRight?.gain ?? leastGain);
  return onLeft ? candidate(onLeft, true) : onRight && candidate(onRight, false);
}

interface Threshold {
  gain: number;
  lastLeftBin: number;
  left: NodeTotals;
}

function candidate({ gain, lastLeftBin, left }: Threshold, missingGoesLeft: boolean) {
  return { gain, left, leftBins: [missingGoesLeft ? MISSING_BIN : 1, lastLeftBin] };
}

/** Moves one bin after the other to the left, where `start` stands already. */
function bestThreshold(
  { histogram, first, count }: FeatureBins,
  { residualSum, rowCount }: NodeTotals,
  leafRows: number,
  start: NodeTotals,
  leastGain: number,
): Threshold | undefined {
  const explained = squaresExplained(residualSum, rowCount);
  let leftSum = start.residualSum;
  let leftRows = start.rowCount;
  let bestGain = leastGain;
  let bestBin = 0;
  let bestSum = 0;
  let bestRows = 0;
  for (let bin = 1; bin < count; bin++) {
    const at = 2 * (first + bin);
    const binRows = histogram[at + 1] ?? 0;
    if (binRows === 0) continue;
    leftSum += histogram[at] ?? 0;
    leftRows += binRows;
    if (leftRows < leafRows) continue;
    const rightRows = rowCount - leftRows;
    if (rightRows < leafRows) break;
    const gain =
      squaresExplained(leftSum, leftRows) +
      squaresExplained(residualSum - leftSum, rightRows) -
      explained;
    if (gain > bestGain) {
      bestGain = gain;
      bestBin = bin;
      bestSum = leftSum;
      bestRows = leftRows;
    }
  }
  if (bestBin === 0) return undefined;
  const left = { residualSum: bestSum, rowCount: bestRows };
  return { gain: bestGain, lastLeftBin: bestBin, left };
}
