/** The review of a contract's change, for programs. */
export { type Contract, ContractFault, readContract } from './contract.js';
export type { Change, Pair } from './finding.js';
export { writeMarkdown } from './markdown.js';
export { type Review, reviewContracts } from './review.js';
