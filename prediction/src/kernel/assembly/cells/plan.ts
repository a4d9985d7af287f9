/*
 * The plan of a model: what `prediction/src/io/cells/cell-plan.ts` lays out, as u32.
 */

/** The number of columns of a row: inputs, the target, and those that close an answer. */
export function columnCount(plan: usize): u32 {
  return load<u32>(plan);
}

/** The number of input columns, which are the first. */
export function inputCount(plan: usize): u32 {
  return load<u32>(plan, 4);
}

export function featureCount(plan: usize): u32 {
  return load<u32>(plan, 8);
}

/** The features, one behind the other. */
export function features(plan: usize): usize {
  return <usize>load<u32>(plan, 12);
}

/** The table of names, and its mask. */
export function names(plan: usize): usize {
  return <usize>load<u32>(plan, 16);
}

export function namesMask(plan: usize): u32 {
  return load<u32>(plan, 20);
}

/** The size in bytes of a feature. */
export const FEATURE: usize = 96;

export const ORDERED: u32 = 0;
export const CATEGORY: u32 = 1;
export const DATE: u32 = 2;

/** The index of its column. */
export function readColumn(feature: usize): u32 {
  return load<u32>(feature);
}

export function kindOfFeature(feature: usize): u32 {
  return load<u32>(feature, 4);
}

/** The cuts, f64 ascending; of a category its table of texts. */
export function readCuts(feature: usize): usize {
  return <usize>load<u32>(feature, 8);
}

/** The numbers of cuts before each field of their grid (u16); see `CutGrid`. */
export function cutsBefore(feature: usize): usize {
  return <usize>load<u32>(feature, 12);
}

/** The mask of the table of texts of a category. */
export function tableMask(feature: usize): u32 {
  return load<u32>(feature, 12);
}

/** The bin of categories that the model does not know. */
export function othersBin(feature: usize): u32 {
  return load<u32>(feature, 16);
}

/** The bin that replaces unfamiliar bins. */
export function readMask(feature: usize): u32 {
  return load<u32>(feature, 20);
}

/** Counts a value that is unlike those of the table. */
export function countSuspect(feature: usize): void {
  store<u32>(feature, load<u32>(feature, 24) + 1, 24);
}

/** Returns whether categories that the model does not know are unlike those of the table. */
export function knowsAll(feature: usize): bool {
  return load<u32>(feature, 28) !== 0;
}

/** Returns whether a text of a number may have a point that separates thousands. */
export function hasPointGroups(feature: usize): bool {
  return load<u32>(feature, 28) !== 0;
}

/** The bounds outside of which a number is unlike those of the table. */
export function readLeast(feature: usize): f64 {
  return load<f64>(feature, 32);
}

export function readMost(feature: usize): f64 {
  return load<f64>(feature, 40);
}

export function isUnseen(feature: usize, bin: u32): bool {
  return ((load<u8>(feature + 48 + (<usize>bin >> 3)) >> <u8>(bin & 7)) & 1) !== 0;
}

export function fieldsInUnit(feature: usize): f64 {
  return load<f64>(feature, 80);
}

export function lastField(feature: usize): f64 {
  return <f64>load<u32>(feature, 88);
}

/** The words that count as missing: see `words.ts`. */
export function readWords(feature: usize): usize {
  return <usize>load<u32>(feature, 92);
}
