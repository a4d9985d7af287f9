import type { Case } from './case.js';
import type { Answer, HttpRequest } from './http.js';
import type { Filled } from './requests.js';
import type { World } from './world.js';

/** A request that was answered. */
export interface Exchange {
  made: Case;
  filled: Filled;
  request: HttpRequest;
  answer: Answer;
  world: World;
}
