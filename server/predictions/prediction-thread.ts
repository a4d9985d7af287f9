/** Runs in a thread of its own: answers rows with models that it keeps loaded. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import type { AnyPredictor } from '../../prediction/src/predicting.js';
import { LruCache } from '../lru-cache.js';
import { JobHost } from './job-host.js';
import { loadModel } from './loaded-model.js';
import { VersionGoneError } from './thread-job.js';
import { type FromThread, movedWith, type ToThread } from './thread-messages.js';

/** About how many bytes the loaded models of a thread may take. */
const MAX_LOADED_BYTES = 256 * 1024 * 1024;

const loaded = new LruCache<AnyPredictor>({ maxEntries: 64, maxSize: MAX_LOADED_BYTES });
/** Versions that are being loaded: further jobs with one wait for the same loading. */
const loading = new Map<string, Promise<AnyPredictor>>();
/** Takes the artifacts that were asked for. */
const asked = new Map<string, (artifact: Uint8Array | undefined) => void>();

function post(message: FromThread): void {
  parentPort?.postMessage(message, movedWith(message));
}

async function predictorOf(versionId: string): Promise<AnyPredictor> {
  const known = loaded.get(versionId) ?? loading.get(versionId);
  if (known) return known;
  const begun = load(versionId).finally(() => loading.delete(versionId));
  loading.set(versionId, begun);
  return begun;
}

async function load(versionId: string): Promise<AnyPredictor> {
  const artifact = await new Promise<Uint8Array | undefined>((resolve) => {
    asked.set(versionId, resolve);
    post({ kind: 'ask', versionId });
  });
  if (!artifact) throw new VersionGoneError();
  const { predictor, size } = await loadModel(artifact, () => nextTurn());
  loaded.set(versionId, predictor, Math.min(size, MAX_LOADED_BYTES));
  return predictor;
}

const host = new JobHost(predictorOf, post);
parentPort?.on('message', (message: ToThread) => {
  if (message.kind !== 'artifact') return host.receive(message);
  asked.get(message.versionId)?.(message.bytes);
  asked.delete(message.versionId);
});
