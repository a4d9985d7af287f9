/**
 * The loops of training and prediction that touch every row, as WebAssembly. They work on memory
 * that the caller has laid out from `firstFree` on, and take addresses in it.
 */

export { binCells, readValues } from './cells/bin';
export { addText } from './cells/texts';
export { addPowers, classResiduals, curvature, multiplyRows } from './classes';
export { addStates, findStates } from './contributions';
export { recordStateAddress, scanRecords } from './csv/records';
export { addForest } from './forest';
export { subtract, sumRows } from './histogram';
export { beginRows, scannedValues, scanRows, scanStateAddress } from './json/rows';
export { goesLeftAddress, splitAddress } from './node';
export { quantise, quantisedSum } from './residuals';
export { addToRows, partition } from './rows';
export { sampleRows } from './sample';
export { findSplit } from './split';
export { writeNumbers } from './text/digits';
export { listOthers, setNumbers, writeRows, writtenEnd } from './text/rows';
export { addTree, multiplyByTree } from './tree';
export { addTreeContributions } from './tree-contributions';

/** Returns the first address after the kernel's own memory. */
export function firstFree(): usize {
  return __heap_base;
}
