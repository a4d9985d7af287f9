import { type ColumnSummary, profileColumn } from './column-profile.js';
import { CutGrid } from './cut-grid.js';
import { binOfValue, chooseCuts, createEncoder, type Encoder } from './encoder.js';
import type { ModelFeature } from './model.js';
import type { Table, TableColumn } from './table.js';

/** The used columns of a table as bins. */
export interface BinnedFeatures {
  rowCount: number;
  /** Feature by feature, `rowCount` bins each. */
  bins: Uint8Array;
  /** Bins of each feature, the one for missing values among them. */
  binCounts: number[];
  /** Whether the bins of a feature are categories, which have no order. */
  isCategory: boolean[];
}

/** A table as models see it. */
export interface PreparedTable {
  columns: ColumnSummary[];
  features: ModelFeature[];
  binned: BinnedFeatures;
}

/** Finds out what the columns hold, and bins those that can be used. */
export function prepareTable(table: Table): PreparedTable {
  const columns: ColumnSummary[] = [];
  const features: ModelFeature[] = [];
  const binnedColumns: Uint8Array[] = [];
  const binCounts: number[] = [];
  const isCategory: boolean[] = [];
  for (const [index, column] of table.columns.entries()) {
    const { summary, values } = profileColumn(column);
    columns.push(summary);
    if (!summary.used) continue;
    const cuts = chooseCuts(values);
    const encoder = createEncoder(summary, cuts);
    features.push({ column: index, cuts });
    binnedColumns.push(binColumn(column, cuts, encoder));
    binCounts.push(encoder.binCount);
    isCategory.push(summary.kind === 'category');
  }
  const bins = new Uint8Array(binnedColumns.length * table.rowCount);
  for (const [feature, column] of binnedColumns.entries()) {
    bins.set(column, feature * table.rowCount);
  }
  return { columns, features, binned: { rowCount: table.rowCount, bins, binCounts, isCategory } };
}

function binColumn(column: TableColumn, cuts: readonly number[], encoder: Encoder): Uint8Array {
  if (column.kind !== 'text') {
    const grid = new CutGrid(cuts);
    return Uint8Array.from(column.values, (value) => binOfValue(grid, value));
  }
  const binOfCode = Uint8Array.from([null, ...column.texts], (text) => encoder.bin(text));
  return Uint8Array.from(column.codes, (code) => binOfCode[code] ?? encoder.binOfOthers);
}
