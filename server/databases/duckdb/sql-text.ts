/** Returns a text as SQL quotes it. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Returns the pattern that matches the file of a path and no other: a name may have characters of a pattern. */
export function exactPattern(path: string): string {
  return path.replaceAll(/[*?[]/g, '[$&]');
}
