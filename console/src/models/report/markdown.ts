import { CONTROLS } from './page-files.js';

/** Returns what a part of the page says as Markdown: headings, texts, lists and tables. */
export function markdownOf(part: Element, title: string): string {
  const blocks = [`# ${escapeText(title)}`, ...[...part.children].flatMap(blocksOf)];
  return `${blocks.filter(Boolean).join('\n\n')}\n`;
}

/** Elements that only arrange others, or that a text has no use for. */
const SKIPPED = `svg, summary, ${CONTROLS}`;

function blocksOf(element: Element): string[] {
  if (element.matches(SKIPPED)) return [];
  const heading = /^H([1-6])$/.exec(element.tagName);
  if (heading) return [`${'#'.repeat(Number(heading[1]))} ${textOf(element)}`];
  if (element.matches('table')) return [tableOf(rowsIn(element, 'tr', 'th, td'))];
  if (element.matches('ul.bars')) {
    return [tableOf([['', ''], ...rowsIn(element, 'li', '.bar-name, .bar-value')])];
  }
  if (element.matches('dl')) return [tableOf([['', ''], ...rowsIn(element, 'div', 'dt, dd')])];
  if (element.matches('ul, ol')) {
    return [[...element.children].map((item) => `- ${textOf(item)}`).join('\n')];
  }
  if (element.matches('p, figcaption:not(:has(*))')) return [textOf(element)];
  return [...element.children].flatMap(blocksOf);
}

const rowsIn = (element: Element, row: string, cell: string) =>
  [...element.querySelectorAll(row)].map((each) => [...each.querySelectorAll(cell)].map(textOf));

/** Writes a table, whose first row is its head. */
function tableOf([head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const textOf = ({ textContent }: Element) =>
  escapeText((textContent ?? '').replace(/\s+/g, ' ').trim());

/** Keeps names of columns and classes from being read as Markdown or HTML. */
const escapeText = (text: string) => text.replace(/[\\`*_[\]<>|#~]/g, '\\$&');
