/**
 * Translates the errors of the store, trainings and tables into problems, so that no handler has
 * to.
 */

import { JsonShapeError, MalformedJsonError, TableError } from '../prediction/src/predicting.js';
import { TooManyPredictionsError } from './models/predictions/prediction-pool.js';
import { MAX_SILENCE_MS } from './models/training/table-reader.js';
import { TooManyTablesError } from './models/training/tables.js';
import { SlowUploadError } from './models/training/upload-slots.js';
import {
  invalidRequest,
  malformedBody,
  type ProblemError,
  problem,
  unavailable,
} from './problems/problem.js';
import { storeProblem } from './store/database/unavailable.js';
import { QueueFullError } from './store/index.js';
import { WorkerEndedError, WorkerTimeoutError } from './work/worker-process.js';

/** Returns the problem of an error that was thrown below the handlers; undefined if it is an internal error. */
export function translateError(thrown: unknown): ProblemError | undefined {
  return tableProblem(thrown) ?? storeProblem(thrown);
}

/** Returns the problem of a table that cannot be read, or not now. */
function tableProblem(thrown: unknown): ProblemError | undefined {
  if (thrown instanceof MalformedJsonError) {
    return malformedBody(`The body is not valid JSON: ${thrown.message}`);
  }
  if (thrown instanceof JsonShapeError) {
    return invalidRequest([{ pointer: '/body', message: thrown.message }]);
  }
  if (thrown instanceof TableError) {
    return problem(
      '/problems/unusable-table',
      'No model can be trained from this table; nothing was kept of it.',
      { errors: [...thrown.faults] },
    );
  }
  if (thrown instanceof TooManyPredictionsError) {
    return unavailable(
      'The service has as many predictions to do as it takes on at once; try again in a moment.',
    );
  }
  if (thrown instanceof QueueFullError) {
    return unavailable('Too many trainings wait already; try again when some are done.', 60);
  }
  if (thrown instanceof TooManyTablesError) {
    return unavailable(
      'The service reads as many tables as it takes on at once; try again in a moment.',
      5,
    );
  }
  if (thrown instanceof SlowUploadError) {
    return problem(
      '/problems/request-timeout',
      'The table arrived too slowly while other tables waited to be read; send at least 128 KiB a second, and more the longer others wait, or send it again later.',
      {},
      { Connection: 'close' },
    );
  }
  if (thrown instanceof WorkerTimeoutError) {
    return unavailable(
      `The table took too long to read: its process did nothing for ${MAX_SILENCE_MS / 1000} seconds, and was ended; nothing was kept of it. Send fewer rows or columns.`,
      5,
      { cause: thrown },
    );
  }
  if (thrown instanceof WorkerEndedError) {
    return unavailable(
      'The process that read the table was ended, most often because the machine has too little memory; nothing was kept of it. Send it again in a moment, or send fewer rows.',
      5,
      { cause: thrown },
    );
  }
  return undefined;
}
