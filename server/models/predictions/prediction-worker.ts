import { setImmediate as nextTurn } from 'node:timers/promises';
import { freeMemory } from '../../common/free-memory.js';
import { serveJobs } from '../../work/serve-jobs.js';
import type { StoredModel } from '../serving-version.js';
import { type AnswerEvent, type AnswerJob, answerBody, ModelCache } from './answer-body.js';

const cache = new ModelCache(256 * 1024 * 1024);

/** Runs in a separate process: answers rows with models that it keeps loaded. */
await serveJobs<AnswerJob, AnswerEvent, boolean>(async (job, input, output) => {
  const pieces = input[Symbol.asyncIterator]();
  const loaded = cache.get(job.versionId);
  output.event({ kind: 'model', isLoaded: loaded !== undefined });
  const predictor = loaded ?? (await cache.load(job.versionId, await readModel(pieces), () => nextTurn()));
  return answerBody(predictor, readBody(pieces), job, async (part) => {
    if (part.kind === 'count') {
      output.event(part);
      if (job.awaitsCount && (await pieces.next()).done) throw new Error('The rows are not wanted');
      return;
    }
    if (part.kind === 'promises') {
      const { promises, ids, ...rest } = part;
      const bytes = ids ? Buffer.concat([promises, ids]) : promises;
      output.data(bytes, { ...rest, idBytes: ids?.length ?? 0 });
      return freeMemory(bytes);
    }
    if (part.kind !== 'bytes') return output.event(part);
    output.data(part.bytes, { kind: 'rows', rows: part.rows });
    freeMemory(part.bytes);
  });
});

async function readModel(pieces: AsyncIterator<Uint8Array>): Promise<StoredModel> {
  const artifact = await pieces.next();
  const seenRows = await pieces.next();
  if (artifact.done || seenRows.done) throw new Error('The model was not sent');
  return { artifact: artifact.value, seenRows: seenRows.value.length === 0 ? null : seenRows.value };
}

/** Reads up to the end of the body, or of the input. */
async function* readBody(pieces: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    if (next.value.length === 0) return;
    yield next.value;
  }
}
