/** The size of a piece, in bytes. */
const PIECE = 256 * 1024;

/** The bytes of a text, in pieces. */
export interface CoalescedChunks {
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Whether the whole text has already arrived. */
  readonly isWhole: boolean;
}

/**
 * Coalesces chunks of any size into pieces of 256 KiB. Resolves at the first piece, or at the end.
 */
export async function coalesceChunks(chunks: AsyncIterable<Uint8Array>): Promise<CoalescedChunks> {
  const source = piecesOf(chunks);
  const first = await source.next();
  const isWhole = first.done === true || first.value.length < PIECE;
  async function* pieces() {
    if (first.done) return;
    yield first.value;
    yield* source;
  }
  return { pieces: pieces(), isWhole };
}

async function* piecesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let piece = new Uint8Array(PIECE);
  let filled = 0;
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; ) {
      const part = chunk.subarray(start, start + PIECE - filled);
      piece.set(part, filled);
      filled += part.length;
      start += part.length;
      if (filled < PIECE) continue;
      yield piece;
      piece = new Uint8Array(PIECE);
      filled = 0;
    }
  }
  if (filled > 0) yield piece.slice(0, filled);
}
