import type { Scenario } from '../../../scenario/scenario.js';
import { scenariosOf } from '../../attacks/family.js';
import { USUAL_BOUNDS } from '../../attacks/watch.js';
import { drippingUploads } from './dripping-uploads.js';
import { filledStore } from './filled-store.js';
import { headersOnly } from './headers-only.js';
import { healthInQuery } from './health-in-query.js';
import { hostileTables } from './hostile-tables.js';
import { largeAgents } from './large-agents.js';
import { largePredictions } from './large-predictions.js';
import { largeUpload } from './large-upload.js';
import { lockedTable } from './locked-table.js';
import { longQueries } from './long-queries.js';
import { pipelinedRequests } from './pipelined-requests.js';
import { refusals } from './refusals.js';
import { revokedStream } from './revoked-stream.js';
import { smallChunks } from './small-chunks.js';
import { stalledBodies } from './stalled-bodies.js';
import { unreadAnswers } from './unread-answers.js';
import { wrongFields } from './wrong-fields.js';

const attacks = [
  ...hostileTables,
  ...stalledBodies,
  wrongFields,
  headersOnly,
  ...drippingUploads,
  refusals,
  revokedStream,
  healthInQuery,
  largeAgents,
  largePredictions,
  largeUpload,
  filledStore,
  pipelinedRequests,
  smallChunks,
  longQueries,
  unreadAnswers,
];

/** Attacks by one owner, with the effect on another, in the order in which they run. */
export const family: readonly Scenario[] = [
  ...scenariosOf({ name: 'noisy-neighbour', bounds: USUAL_BOUNDS, attacks }),
  lockedTable,
];
