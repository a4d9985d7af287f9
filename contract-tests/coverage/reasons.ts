import type { Reason } from './compare.js';

/** Why some promises of the contract are not exercised by a test. */
export const REASONS: readonly Reason[] = [];
