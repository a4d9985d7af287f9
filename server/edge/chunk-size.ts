import type { IncomingMessage } from 'node:http';
import { type ProblemError, problem } from '../problems/problem.js';

/** The number of consecutive chunks whose mean size and duration are checked. */
const CHUNKS = 1000;
/** The smallest acceptable mean size, in bytes: smaller chunks cost far more than their content. */
const MIN_MEAN = 32;
/**
 * The shortest acceptable time for these chunks, in milliseconds: slower chunks cost little,
 * whatever their size.
 */
const MIN_TIME_MS = 1000;

/** Requests whose chunks were too small; the rest of them is not read. */
const refused = new WeakSet<IncomingMessage>();

/** Returns whether the body of a request came in chunks that are too small. */
export function hasSmallChunks(req: IncomingMessage): boolean {
  return refused.has(req);
}

/**
 * Detects bodies that arrive fast in small chunks (RFC 9112, section 7.1). Each costs as much as a
 * large one.
 */
export class ChunkMeter {
  #chunks = 0;
  #bytes = 0;
  #since = 0;

  /** @param now the time, in milliseconds */
  constructor(
    private readonly req: IncomingMessage,
    private readonly now = () => performance.now(),
  ) {}

  /** Counts the bytes of a chunk. Returns a problem if the chunks of the body are too small. */
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
