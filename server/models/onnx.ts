import { hash } from 'node:crypto';
import { decodeModelInSteps, exportOnnx, ONNX_REVISION, runSteps } from 'roster-prediction/predicting';
import type { Handlers } from '../api/handlers.js';
import { isKnown } from '../api/preconditions.js';
import { ByteStream, quoteTag } from '../api/reply/send.js';
import { FairGate } from '../common/fair-gate.js';
import { abortablePausing } from '../common/pausing.js';
import { type ProblemError, problem, unavailable } from '../problems/problem.js';
import type { Predictors } from './predictions/predictors.js';
import type { ServingVersion } from './serving-version.js';

/** Files that are written at once, and requests that wait: each holds a model, and the file of about its size. */
const LIMITS = { slots: 2, slotsPerOwner: 1, maxWaiting: 8, maxWaitingInAll: 32 };

/** Models as ONNX. */
export function onnxOperations(predictors: Predictors): Pick<Handlers, 'getOnnx'> {
  const gate = new FairGate({
    ...LIMITS,
    busy: () => unavailable('The service writes as many models as ONNX as it does at once; try again later.'),
  });
  return {
    getOnnx: async ({ caller, params, headers, responseClosed, reply }) => {
      const version = await predictors.requireVersion(caller, params);
      if (version.task === 'forecast') {
        throw notExportable(
          version,
          'forecasts series: it smooths the latest values of each one anew, which an ONNX graph cannot do with series of any length; call predict with the new values as rows',
        );
      }
      // A version never changes, and neither does its file.
      const { id, name } = version;
      const tag = quoteTag(hash('sha256', `${id} ${name} ${ONNX_REVISION}`, 'base64url'));
      if (isKnown(headers, tag)) return reply({ status: 304, headers: { ETag: tag } });
      const portions = await gate.run(caller.owner, responseClosed, () =>
        writeFile(predictors, version, responseClosed),
      );
      return reply({
        status: 200,
        headers: { ETag: tag },
        body: new ByteStream('application/onnx', iterate(portions), { isStream: false, areLines: false }),
      });
    },
  };
}

/** Writes the file of a version, in portions; other requests are served meanwhile. */
async function writeFile(
  predictors: Predictors,
  version: ServingVersion,
  responseClosed: AbortSignal,
): Promise<Uint8Array[]> {
  const stored = await predictors.storedModel(version.id);
  if (!stored) throw unavailable('The version was deleted meanwhile; ask again.');
  const pause = abortablePausing(responseClosed);
  const model = await runSteps(decodeModelInSteps(stored.artifact), pause);
  if (model.task === 'forecast' || model.features.length === 0) {
    throw notExportable(version, 'learnt from no column, so a graph has no rows to answer; call predict');
  }
  const { name, checksum } = version;
  const facts = { name, version: version.version, checksum: checksum ?? '' };
  return runSteps(exportOnnx(model, facts), pause);
}

async function* iterate(portions: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* portions;
}

function notExportable({ name }: ServingVersion, reason: string): ProblemError {
  return problem('/problems/not-exportable', `The model "${name}" ${reason}.`);
}
