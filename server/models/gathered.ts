/** How many bytes make a piece. */
const PIECE = 256 * 1024;

/**
 * Gathers chunks, which may be of any size and share their memory, into pieces that can be given away.
 * It waits for the first piece, or for the end of what comes.
 */
export async function gathered(
  chunks: AsyncIterable<Uint8Array>,
): Promise<AsyncIterable<Uint8Array>> {
  const pieces = piecesOf(chunks);
  const first = await pieces.next();
  return (async function* () {
    if (first.done) return;
    yield first.value;
    yield* pieces;
  })();
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
