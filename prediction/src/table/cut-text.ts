/** Returns a text of at most `max` UTF-16 code units, without half a character; one that is cut ends with `…`. */
export function cutText(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
