import type { IncomingMessage } from 'node:http';
import { type ProblemError, problem } from '../problems/problem.js';

/** Of so many chunks in a row, the mean size and the time in which they arrive are looked at. */
const CHUNKS = 1000;
/** In bytes: smaller chunks cost far more than what they carry. */
const MIN_MEAN = 32;
/** Chunks that take longer, in milliseconds, keep nobody busy, whatever their size. */
const MIN_TIME_MS = 1000;

/** Requests whose chunks were too small: nothing more of them is read. */
const refused = new WeakSet<IncomingMessage>();

/** Whether the body of a request came in chunks that are too small. */
export function hasSmallChunks(req: IncomingMessage): boolean {
  return refused.has(req);
}

/** Finds bodies that arrive fast in small chunks (RFC 9112, section 7.1), each of which costs what a large one does. */
export class ChunkMeter {
  #chunks = 0;
  #bytes = 0;
  #since = 0;

  /** @param now the time, in milliseconds */
  constructor(
    private readonly req: IncomingMessage,
    private readonly now = () => performance.now(),
  ) {}

  /** Counts the bytes of a chunk. Returns the problem of a body whose chunks are too small. */
  add(bytes: number): ProblemError | undefined {
    if (this.#chunks === 0) this.#since = this.now();
    this.#chunks += 1;
    this.#bytes += bytes;
    if (this.#chunks < CHUNKS) return undefined;
    const areSmall = this.#bytes < MIN_MEAN * CHUNKS;
    this.#chunks = 0;
    this.#bytes = 0;
    if (!areSmall || this.now() - this.#since > MIN_TIME_MS) return undefined;
    refused.add(this.req);
    return problem(
      '/problems/malformed-body',
      `The body comes in chunks of less than ${MIN_MEAN} bytes in the mean; collect what you send, such as 16 KiB at a time, or send fewer than ${CHUNKS} chunks a second.`,
      {},
      { Connection: 'close' },
    );
  }
}
