import { createRosterClient, predictFile, trainFile, untilReady } from 'roster-client';

const path = { projectName: 'default', modelName: 'prices' };
const roster = createRosterClient({ baseUrl: '/api' });
type OnProgress = (step: 'sent' | 'trained' | 'received', amount: number) => void;

export async function train(file: File, onProgress: OnProgress, signal: AbortSignal) {
  await trainFile(roster, path, file, {
    target: 'price',
    signal,
    onUpload: ({ loaded, total }) => onProgress('sent', loaded / total),
  });
  return untilReady(roster, path, { signal, onProgress: ({ progress }) => onProgress('trained', progress) });
}

export async function predict(
  file: File,
  destination: WritableStream<Uint8Array>,
  onProgress: OnProgress,
  signal: AbortSignal,
) {
  const { body } = await predictFile(roster, path, file, { to: 'csv', signal });
  let bytes = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      onProgress('received', bytes);
      controller.enqueue(chunk);
    },
  });
  await body.pipeThrough(counted).pipeTo(destination, { signal });
}
