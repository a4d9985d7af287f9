const MAX_TEXT_LENGTH = 300;

/** Formats a text as code within a table: on one line, with its pipes escaped and its backticks enclosed. */
export function code(text: string): string {
  const whole = text.replace(/\s+/g, ' ').replace(/\|/g, '\\|');
  const short = whole.length > MAX_TEXT_LENGTH ? `${whole.slice(0, MAX_TEXT_LENGTH)}…` : whole;
  const longest = Math.max(0, ...(short.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  const space = longest > 0 || short.startsWith(' ') ? ' ' : '';
  return `${fence}${space}${short}${space}${fence}`;
}

/** Formats the cell of a table; empty for no text. */
export function cell(text: string): string {
  return text ? code(text) : '';
}

/** Escapes what Markdown would read as more than text. */
export function plain(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>|@#]/g, '\\$&');
}

/** Returns lines that are shown when their title is clicked; none if there is nothing to show. */
export function folded(title: string, lines: readonly string[], length: number): string[] {
  if (length === 0) return [];
  return ['', `<details><summary>${title} (${length})</summary>`, ...lines, '', '</details>'];
}

/** Formats a number of things: `2 additions`. */
export function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
