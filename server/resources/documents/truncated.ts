/** Returns the beginning of a text, of at most `max` UTF-16 code units, without half a character. */
export function truncated(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, max).replace(/[\ud800-\udbff]$/, '');
}
