import { abbreviate, type Format } from './report.js';

/** Text for a terminal: a row of a table is an item, and its other cells are lines below it, with their columns. */
export const TEXT: Format = {
  heading: (_level, text) => text,
  strong: (text) => text,
  code: (text) => abbreviate(text.replace(/\s+/g, ' ').trim()),
  lineBreak: ', ',
  table: (columns, rows) => rows.flatMap((cells) => writeItem(columns, cells)),
  folded: (title, lines) => [title, '', ...lines],
};

function writeItem(columns: readonly string[], [first = '', ...others]: readonly string[]): string[] {
  const below = others.map((cell, index) => {
    const column = columns[index + 1] ?? '';
    return cell === '' ? '' : `  ${column === 'where' ? '' : `${column}: `}${cell}`;
  });
  return [`- ${first}`, ...below.filter((line) => line !== '')];
}
