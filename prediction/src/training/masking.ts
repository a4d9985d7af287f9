import { MISSING_BIN } from '../trees/binning/bin-mapper.js';
import type { BinnedFeatures } from '../trees/binning/dataset.js';
import { maskBin } from '../model/partial-rows.js';

/**
 * A copy of the table in which every row is partial: one column that has unfamiliar bins is masked
 * in it, and besides none to all of the columns, few more often than many, as it is with clients.
 *
 * @param unfamiliarBins by feature; at least one has some.
 */
export function maskRows(
  features: BinnedFeatures,
  unfamiliarBins: readonly (readonly number[])[],
  random: () => number,
): BinnedFeatures {
  const { rowCount } = features;
  const bins = features.bins.slice();
  const columns = featuresByColumn(features.columnOf);
  const order = Uint32Array.from(columns, (_, index) => index);
  const unfamiliar = order.filter((index) =>
    columns[index]?.some((feature) => unfamiliarBins[feature]?.length),
  );
  const masks = unfamiliarBins.map(maskBin);
  const mask = (index: number, row: number) => {
    for (const feature of columns[index] ?? []) {
      bins[feature * rowCount + row] = masks[feature] ?? MISSING_BIN;
    }
  };
  for (let row = 0; row < rowCount; row++) {
    mask(unfamiliar[Math.floor(random() * unfamiliar.length)] ?? 0, row);
    const count = Math.floor(random() ** 2 * (order.length + 1));
    for (let drawn = 0; drawn < count; drawn++) mask(drawFrom(order, drawn, random), row);
  }
  return { ...features, bins };
}

/** The features of each column together: they are there or missing as one. */
function featuresByColumn(columnOf: readonly number[]): number[][] {
  const columns = new Map<number, number[]>();
  for (const [feature, column] of columnOf.entries()) {
    columns.set(column, [...(columns.get(column) ?? []), feature]);
  }
  return [...columns.values()];
}

/** Moves one of the numbers from `first` on to that place (a step of Fisher–Yates). */
function drawFrom(order: Uint32Array, first: number, random: () => number): number {
  const at = first + Math.floor(random() * (order.length - first));
  const drawn = order[at] ?? 0;
  order[at] = order[first] ?? 0;
  order[first] = drawn;
  return drawn;
}
