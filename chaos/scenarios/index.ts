import type { Scenario } from '../scenario.js';
import { overloadOfGets, overloadOfPredictions } from './overload.js';

/** In the order in which they run. */
export const scenarios: readonly Scenario[] = [overloadOfGets, overloadOfPredictions];
