import { isUtf8 } from 'node:buffer';

/** Text is not JSON; the message says why, and where. */
export class MalformedJsonError extends Error {}

/** Decodes and parses parts of one body, and tells of a fault where in the body it is. */
export class JsonParts {
  readonly #bytes: Buffer;
  /** The characters of the body before the part at hand. */
  #before = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** @throws {MalformedJsonError} if it is not UTF-8. */
  text(from: number, to: number): string {
    const part = this.#bytes.subarray(from, to);
    if (!isUtf8(part)) throw new MalformedJsonError('The body is not UTF-8.');
    return part.toString();
  }

  /** Moves on in the body, by so many characters. */
  advance(characters: number): void {
    this.#before += characters;
  }

  /**
   * Parses text of the body.
   *
   * @param added how many characters before it do not come from the body.
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
   * The fault of text that is known to have one.
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

/** JSON.parse counts places from the beginning of what it is given; its lines are not the body's. */
function wordsOf(reason: string, before: number): string {
  const placed = reason
    .replace(/ \(line \d+ column \d+\)$/, '')
    .replace(/(?<= at position )\d+$/, (place) => String(Number(place) + before));
  return `The body is not valid JSON: ${placed.replace(/ is not valid JSON$/, '')}.`;
}

/**
 * Parses a body at once.
 *
 * @throws {MalformedJsonError}
 */
export function parseWhole(bytes: Uint8Array): unknown {
  const parts = new JsonParts(bytes);
  return parts.parse(parts.text(0, bytes.length));
}
