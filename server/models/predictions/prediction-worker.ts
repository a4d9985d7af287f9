import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AnyPredictor } from '../../../prediction/src/predicting.js';
import { freeMemory } from '../../common/free-memory.js';
import { LruCache } from '../../common/lru-cache.js';
import { serveJobs } from '../../work/serve-jobs.js';
import { type AnswerEvent, type AnswerJob, type AnswerResult, answerJob } from './answer-job.js';
import { loadModel } from './loaded-model.js';

/** About how many bytes the loaded models of a process may take. */
const MAX_LOADED_BYTES = 256 * 1024 * 1024;

const loaded = new LruCache<AnyPredictor>({ maxEntries: 64, maxSize: MAX_LOADED_BYTES });

/** Runs in a process of its own: answers rows with models that it keeps loaded. */
await serveJobs<AnswerJob, AnswerEvent, AnswerResult>(
  async ({ versionId, options }, input, output) => {
    const pieces = input[Symbol.asyncIterator]();
    const known = loaded.get(versionId);
    output.event({ kind: 'model', isLoaded: known !== undefined });
    const predictor = known ?? (await load(versionId, pieces));
    return answerJob(predictor, remaining(pieces), options, {
      data: (bytes, event) => {
        output.data(bytes, event);
        freeMemory(bytes);
      },
      event: (event) => output.event(event),
    });
  },
);

async function load(versionId: string, pieces: AsyncIterator<Uint8Array>): Promise<AnyPredictor> {
  const artifact = await pieces.next();
  if (artifact.done) throw new Error(`The model of version ${versionId} was not sent`);
  const { predictor, size } = await loadModel(artifact.value, () => nextTurn());
  loaded.set(versionId, predictor, Math.min(size, MAX_LOADED_BYTES));
  return predictor;
}

async function* remaining(pieces: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value;
}
