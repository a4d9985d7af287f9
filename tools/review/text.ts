const CODE_OR_BOLD = /(`+)( ?)(.*?)\2\1(?!`)|\*\*/g;

/**
 * Formats a review in Markdown as text for a terminal: a row of a table becomes an item, and its other cells become
 * lines below it, each with the name of its column.
 */
export function textOf(markdown: string): string {
  const lines: string[] = [];
  let columns: readonly string[] | undefined;
  for (const line of markdown.split('\n')) {
    if (!line.startsWith('|')) {
      columns = undefined;
      const text = withoutTags(line);
      if (text !== '' || lines.at(-1) !== '') lines.push(text);
    } else if (columns === undefined) {
      columns = cellsOf(line);
    } else if (!line.startsWith('|---')) {
      lines.push(...itemOf(columns, cellsOf(line)));
    }
  }
  return `${lines.join('\n').trim()}\n`;
}

function itemOf(columns: readonly string[], [first = '', ...others]: readonly string[]): string[] {
  const below = others.map((cell, index) => {
    const column = columns[index + 1] ?? '';
    return cell === '' ? '' : `${column === 'where' ? '' : `${column}: `}${cell}`;
  });
  return [`- ${first}`, ...below.filter((line) => line !== '').map((line) => `  ${line}`)];
}

/** No cell has a pipe that is not escaped. */
function cellsOf(row: string): string[] {
  return row
    .slice(2, -2)
    .split(' | ')
    .map((cell) => withoutTags(cell.replaceAll('<br>', ', ')).trim());
}

function withoutTags(text: string): string {
  const title = text
    .replace(/^#+ /, '')
    .replace(/^<details><summary>(.*)<\/summary>$/, '$1')
    .replace(/^<\/details>$/, '');
  return title.replace(CODE_OR_BOLD, (_, _fence, _space, code = '') => code.replaceAll('\\|', '|'));
}
