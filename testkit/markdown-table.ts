type Cell = string | number;

/** Formats a table as Markdown. */
export function table(head: readonly Cell[], rows: readonly (readonly Cell[])[]): string {
  return [row(head), `|${'---|'.repeat(head.length)}`, ...rows.map(row)].join('\n');
}

/** Formats a row of a table. */
export function row(cells: readonly Cell[]): string {
  return `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
}
