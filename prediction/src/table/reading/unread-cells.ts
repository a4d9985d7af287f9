import { cutText } from '../../text/cut-text.js';
import type { Place } from './column-reading.js';

/** The most texts that are listed, and the most characters of one. */
const MAX_TEXTS = 20;
export const MAX_UNREAD_LENGTH = 100;

/** Returns a text as it is listed. */
export function cutUnread(text: string): string {
  return cutText(text, MAX_UNREAD_LENGTH);
}

/** A text that is not a value of the kind of its column. */
export interface UnreadText {
  /** At most 100 characters of it. */
  readonly text: string;
  readonly rows: number;
  /** The place of the first row, where it is known. */
  readonly place: Place | null;
}

/** The cells of a column of numbers or dates that are no such values. */
export interface UnreadCells {
  readonly kind: 'number' | 'date';
  readonly rows: number;
  /** The rows with any value. */
  readonly present: number;
  /** The most frequent of the first texts, at most 20. */
  readonly texts: readonly UnreadText[];
}

/**
 * Returns the cells of a column whose distinct texts are all at hand; null if all are values.
 *
 * @param texts with the rows of each; '' counts those of texts that were not kept.
 * @param isRead whether a text is a value of the kind.
 * @param placeOf returns the place of the first row with a text, where it is known.
 */
export function listUnread(
  kind: UnreadCells['kind'],
  texts: Iterable<readonly [text: string, rows: number]>,
  isRead: (text: string) => boolean,
  placeOf: (text: string) => Place | undefined,
): UnreadCells | null {
  const unread: (readonly [text: string, rows: number])[] = [];
  let present = 0;
  for (const [text, count] of texts) {
    present += count;
    if (text === '' || !isRead(text)) unread.push([text, count]);
  }
  return describeUnread(kind, unread, present, placeOf);
}

/**
 * Describes the cells that are no values of the kind of their column; null without any.
 *
 * @param unread their texts, with the rows of each; '' counts those of texts that were not kept.
 * @param present the rows with any value.
 * @param placeOf returns the place of the first row with a text, where it is known.
 */
export function describeUnread(
  kind: UnreadCells['kind'],
  unread: readonly (readonly [text: string, rows: number])[],
  present: number,
  placeOf: (text: string) => Place | undefined,
): UnreadCells | null {
  const rows = unread.reduce((sum, [, count]) => sum + count, 0);
  if (rows === 0) return null;
  const known = unread.filter(([text]) => text !== '');
  const listed = known.sort(([, one], [, other]) => other - one).slice(0, MAX_TEXTS);
  const shown = listed.map(([text, count]) => {
    return { text: cutUnread(text), rows: count, place: placeOf(text) ?? null };
  });
  return { kind, rows, present, texts: shown };
}

/** Counts texts that are not values. Its memory does not grow with the texts. */
export class UnreadTexts {
  readonly #texts = new Map<string, { rows: number; readonly place: Place | null }>();

  /** Counts a row with a text; adds it if there is room. */
  add(text: string, place: Place | undefined, rows = 1): void {
    const key = cutUnread(text);
    const counted = this.#texts.get(key);
    if (counted !== undefined) counted.rows += rows;
    // A copy: a text may be a part of a larger one, and would keep all of it in memory.
    else if (this.#texts.size < MAX_TEXTS) this.#texts.set(Buffer.from(key).toString(), { rows, place: place ?? null });
  }

  /** Returns the place of the first row with a text, where it is known. */
  placeOf(text: string): Place | undefined {
    return this.#texts.get(cutUnread(text))?.place ?? undefined;
  }

  /** The texts, the most frequent first. */
  list(): UnreadText[] {
    return Array.from(this.#texts, ([text, counted]) => ({ text, ...counted })).sort((a, b) => b.rows - a.rows);
  }
}
