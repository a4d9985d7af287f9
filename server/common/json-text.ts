import { isUtf8 } from 'node:buffer';

/** The text is not JSON; the message states the reason and the position. */
export class MalformedJsonError extends Error {}

/** Decodes and parses parts of one body, and reports faults at their position in the body. */
export class JsonParts {
  readonly #bytes: Buffer;
  /** The number of characters of the body before the current part. */
  #before = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** @throws {MalformedJsonError} if the bytes are not UTF-8. */
  text(from: number, to: number): string {
    const part = this.#bytes.subarray(from, to);
    if (!isUtf8(part)) throw new MalformedJsonError('The body is not UTF-8.');
    return part.toString();
  }

  advance(characters: number): void {
    this.#before += characters;
  }

  /**
   * Parses text of the body.
   *
   * @param added the number of leading characters that are not from the body.
   * @throws {MalformedJsonError}
   */
  parse(text: string, added = 0): unknown {
    try {
      return JSON.parse(text);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new MalformedJsonError(wordsOf(reason, this.#before - added));
    }
  }

  /**
   * Returns the fault of text that is known to be faulty.
   *
   * @param added as for `parse`.
   */
  fault(text: string, added = 0): MalformedJsonError {
    try {
      this.parse(text, added);
    } catch (error) {
      if (error instanceof MalformedJsonError) return error;
    }
    return new MalformedJsonError('The body is not valid JSON.');
  }
}

/**
 * Converts a parser's message to positions in the body. JSON.parse counts from the beginning of its
 * input, and its line numbers are not the body's.
 */
function wordsOf(reason: string, before: number): string {
  const placed = reason
    .replace(/ \(line \d+ column \d+\)$/, '')
    .replace(/(?<= at position )\d+$/, (place) => String(Number(place) + before));
  return `The body is not valid JSON: ${placed.replace(/ is not valid JSON$/, '')}.`;
}

/**
 * Parses a whole body.
 *
 * @throws {MalformedJsonError}
 */
export function parseWhole(bytes: Uint8Array): unknown {
  const parts = new JsonParts(bytes);
  return parts.parse(parts.text(0, bytes.length));
}

/** Returns whether a JSON value has more than this many levels; an array of numbers has one. */
export function nestsDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const child of Array.isArray(value) ? value : Object.values(value)) {
    if (nestsDeeperThan(levels - 1, child)) return true;
  }
  return false;
}
