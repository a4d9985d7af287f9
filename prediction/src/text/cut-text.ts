/** Returns the beginning of a text, of at most `max` UTF-16 code units, without half a character. */
export function beginningOf(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, max).replace(/[\ud800-\udbff]$/, '');
}

/** Returns a text of at most `max` UTF-16 code units; one that is cut ends with `…`. */
export function cutText(text: string, max: number): string {
  return text.length <= max ? text : `${beginningOf(text, max - 1)}…`;
}
