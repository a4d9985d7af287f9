import { FormatError } from './format-error.js';

const MIB = 1024 * 1024;

/** The maximum bytes of a row, and so of a cell: of its text, or of its texts in columns. The same in all formats. */
export const MAX_ROW_BYTES = MIB;

/** Rows are read and written in blocks of at most so many bytes, or of eight rows. */
export const MAX_BLOCK_BYTES = 8 * MIB;

/** The maximum bytes that the reading of one body holds at once. */
export const MAX_HELD_BYTES = 256 * MIB;

/** About what a piece of a body takes, besides its bytes. */
export const PIECE_BYTES = 256;

/** A body may expand to so many bytes, and to so many for each of its bytes. */
const MIN_EXPANDED_BYTES = 256 * MIB;
const MAX_EXPANSION = 200;

/** The bytes that a row and a cell count for, whatever they hold: runs of one value take none in a file. */
const ROW_BYTES = 64;
const CELL_BYTES = 8;

/**
 * The bytes that one body may take: at once, and in all. The decoder of its bytes counts here the memory that it is about to
 * hold, before it allocates.
 */
export class ByteBudget {
  #received = 0;
  #expanded = 0;
  #held = 0;
  #highest = 0;

  /** The maximum bytes that were held at once. */
  get highest(): number {
    return this.#highest;
  }

  /** Counts bytes of the body. */
  receive(bytes: number): void {
    this.#received += bytes;
  }

  /**
   * Counts what bytes of the body become: pages without compression, and the values of rows.
   *
   * @throws {FormatError} if that is out of proportion to what was received.
   */
  expand(bytes: number, place: string): void {
    this.#expanded += bytes;
    this.#checkExpanded(this.#expanded, place);
  }

  /**
   * Checks rows that are announced, without counting them.
   *
   * @throws {FormatError} if they are out of proportion to what was received.
   */
  checkRows(rows: number, columns: number, place: string): void {
    this.#checkExpanded(rowBytes(rows, columns), place);
  }

  /**
   * Begins to hold bytes for a part of the body.
   *
   * @param remedy what to send instead, if there is no room for it.
   */
  hold(place: string, remedy = 'Write smaller batches, row groups and pages.'): HeldBytes {
    return new HeldBytes((bytes) => this.#hold(bytes, place, remedy));
  }

  #hold(bytes: number, place: string, remedy: string): void {
    if (!(this.#held + bytes <= MAX_HELD_BYTES)) {
      throw new FormatError(
        `${place} takes ${formatBytes(bytes)} bytes where ${formatBytes(this.#held)} are held already; at most ${formatBytes(MAX_HELD_BYTES)} are held at once. ${remedy}`,
      );
    }
    this.#held += bytes;
    this.#highest = Math.max(this.#highest, this.#held);
  }

  #checkExpanded(bytes: number, place: string): void {
    const max = MIN_EXPANDED_BYTES + MAX_EXPANSION * this.#received;
    if (bytes <= max) return;
    throw new FormatError(
      `${place} brings the values to ${formatBytes(bytes)} bytes; a body of ${formatBytes(this.#received)} bytes may become ${formatBytes(max)}. Send the rows in parts, or as CSV.`,
    );
  }
}

/** The bytes that rows count for, apart from their texts. */
export function rowBytes(rows: number, columns: number): number {
  return rows * (ROW_BYTES + CELL_BYTES * columns);
}

/** Bytes that are held together, until they are given back together. */
export class HeldBytes {
  #bytes = 0;

  constructor(private readonly hold: (bytes: number) => void) {}

  /**
   * Holds more bytes; call it before they are allocated.
   *
   * @throws {FormatError} if the budget has no room for them.
   */
  add(bytes: number): void {
    this.hold(bytes);
    this.#bytes += bytes;
  }

  /** Gives some of the bytes back. */
  release(bytes: number): void {
    this.hold(-bytes);
    this.#bytes -= bytes;
  }

  /** Gives all of the bytes back. */
  releaseAll(): void {
    this.release(this.#bytes);
  }
}

function formatBytes(bytes: number): string {
  return bytes.toLocaleString('en');
}

/** Bytes from `start` up to, but not including, `end`. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Returns the later of two ranges that share bytes; undefined, if no two do. */
export function findOverlap<T extends ByteRange>(ranges: readonly T[]): T | undefined {
  let isAscending = true;
  let last = 0;
  for (const { start, end } of ranges) {
    if (end <= start) continue;
    isAscending &&= start >= last;
    last = end;
  }
  if (isAscending) return undefined;
  const sorted = ranges.filter(({ start, end }) => end > start).sort((a, b) => a.start - b.start);
  return sorted.find(({ start }, index) => start < (sorted[index - 1]?.end ?? 0));
}
