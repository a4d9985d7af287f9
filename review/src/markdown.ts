import type { Pair } from './finding.js';
import { abbreviate, type Format, writeReport } from './report.js';
import type { Review } from './review.js';

/**
 * GitHub Flavored Markdown. Text from a contract is put in code spans, so that it mentions nobody and links
 * nowhere.
 */
export const MARKDOWN: Format = {
  heading: (level, text) => `${'#'.repeat(level)} ${text}`,
  strong: (text) => `**${text}**`,
  code,
  lineBreak: '<br>',
  table: (columns, rows) => [
    `| ${columns.join(' | ')} |`,
    `|${columns.map(() => '---|').join('')}`,
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
  ],
  folded: (title, lines) => [`<details><summary>${title}</summary>`, '', ...lines, '', '</details>'],
};

/** Formats a review as a comment on a pull request. */
export function writeMarkdown(review: Review, sides: Pair<string>): string {
  return writeComment(writeReport(review, sides, MARKDOWN));
}

/** The maximum size, less than the 65,536 characters of a comment on a pull request. */
const MAX_CHARACTERS = 60_000;

/** Joins lines to a comment, and cuts off the end, which has the least important ones. */
export function writeComment(lines: readonly string[]): string {
  let length = 0;
  const kept = lines.filter((line) => {
    length += line.length + 1;
    return length <= MAX_CHARACTERS;
  });
  const cut = lines.length - kept.length;
  const opened = kept.filter((line) => line.startsWith('<details>')).length;
  const closed = kept.filter((line) => line === '</details>').length;
  if (cut > 0) {
    if (opened > closed) kept.push('', '</details>');
    kept.push('', `There is more: \`npm run spec:review\` says all of it, ${cut} further lines.`);
  }
  return `${kept.join('\n')}\n`;
}

/** Formats a text as code within a table: on one line, with its pipes escaped and its backticks enclosed. */
export function code(text: string): string {
  const short = abbreviate(text.replace(/\s+/g, ' ').replace(/\|/g, '\\|'));
  const longest = Math.max(0, ...(short.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  const space = longest > 0 || short.startsWith(' ') ? ' ' : '';
  return `${fence}${space}${short}${space}${fence}`;
}

/** Escapes what Markdown would read as more than text. */
export function plain(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>|@#]/g, '\\$&');
}
