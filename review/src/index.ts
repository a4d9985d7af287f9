/** The review of a contract's change, for programs. */
export { type Acceptance, readAcceptances } from './acceptance.js';
export { type Contract, ContractFault, type Reading, readContract } from './contract.js';
export type { ReadFiles } from './files.js';
export type { Change, Pair } from './finding.js';
export { writeMarkdown } from './markdown.js';
export { type Accepted, type Review, reviewContracts } from './review.js';
