import { on } from 'node:events';
import type { MessagePort } from 'node:worker_threads';

/** How many pieces may be on their way that the other side has not taken. */
const WINDOW = 4;

/**
 * Sends bytes to another thread, which takes them with `receiveBytes`, no faster than it takes them.
 * Where it can, it gives them away: the source must not use them any more.
 * @throws if the other side ends before it has taken all
 */
export async function sendBytes(
  port: MessagePort,
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  const taken = on(port, 'message', { close: ['close'] });
  let onTheWay = 0;
  for await (const bytes of source) {
    if (onTheWay >= WINDOW) {
      if ((await taken.next()).done) throw endedEarly();
      onTheWay--;
    }
    const own = ownBytes(bytes);
    port.postMessage(own, [own.buffer]);
    onTheWay++;
  }
  port.postMessage(null);
  for (; onTheWay > 0; onTheWay--) if ((await taken.next()).done) throw endedEarly();
  await taken.return?.();
}

/**
 * Takes the bytes that another thread sends with `sendBytes`.
 * @throws if the other side ends before it has sent all
 */
export async function* receiveBytes(port: MessagePort): AsyncGenerator<Uint8Array> {
  for await (const [bytes] of on(port, 'message', { close: ['close'] })) {
    if (!(bytes instanceof Uint8Array)) return;
    yield bytes;
    port.postMessage(null);
  }
  throw endedEarly();
}

/** Bytes that share their memory with nothing else: such as can be given to another thread. */
function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(bytes);
}

function endedEarly(): Error {
  return new Error('The other thread ended early');
}
