import { type ByteBudget, PIECE_BYTES } from './byte-budget.js';

/** A file that is read by ranges. */
export interface ByteFile {
  readonly length: number;
  read(start: number, end: number): Promise<Uint8Array>;
}

/**
 * Holds a body as a whole, as what its end says is needed first.
 *
 * @param name in messages, such as `Parquet file`.
 * @throws {FormatError} if the budget has no room for it.
 */
export async function holdFile(body: AsyncIterable<Uint8Array>, budget: ByteBudget, name: string): Promise<ByteFile> {
  const arrived = budget.hold(`The ${name} that has arrived`);
  const whole = budget.hold(`The ${name}`);
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    arrived.add(piece.length + PIECE_BYTES);
    pieces.push(piece);
    length += piece.length;
  }
  whole.add(length);
  const bytes = Buffer.concat(pieces, length);
  arrived.releaseAll();
  return { length, read: (start, end) => Promise.resolve(bytes.subarray(start, end)) };
}
