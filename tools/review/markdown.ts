import type { PartDifference } from './differences.js';
import type { Change, Pair } from './finding.js';
import type { NamedDifference, Review } from './review.js';
import { type Party, RULES } from './rules.js';

const TITLE = ['## What this does to clients', ''];

/**
 * Formats a review as GitHub Flavored Markdown, with the gravest changes first. Text from a contract is put in
 * code spans, so that it mentions nobody and links nowhere.
 * @param sides short names of the versions that were compared.
 */
export function markdownOf(review: Review, sides: Pair<string>): string {
  return shortened([...TITLE, verdict(review, sides), ...sectionsOf(review)]);
}

/** Formats what is said instead of a review if a version is missing or cannot be read. */
export function withoutReview(statement: string, reason: string): string {
  return shortened([...TITLE, `**${statement}** ${code(reason)}`]);
}

function verdict(review: Review, sides: Pair<string>): string {
  const { versions, announced, added, notes, prose, others } = review;
  const broken = breaksIn(review);
  const { before, after } = versions;
  const raised =
    before === after ? `stays ${code(before)}` : `goes from ${code(before)} to ${code(after)}`;
  const beside = `Compares ${code(sides.before)} with ${code(sides.after)}; the version ${raised}.`;
  const enough = `it has to be ${code(announced.needed)} at least`;
  if (broken > 0 && !announced.breaksAnnounced) {
    return `**${count(broken, 'breaking change')}, which the version does not announce: ${enough}.** ${beside}`;
  }
  if (broken > 0)
    return `**${count(broken, 'breaking change')}, announced by the version.** ${beside}`;
  if (added.length > 0) {
    const advice = announced.additionsAnnounced ? '' : ` For additions, ${enough}.`;
    return `**Nothing breaks.** ${count(added.length, 'addition')}. ${beside}${advice}`;
  }
  if (notes.length + prose.length + others.length > 0) return `**Nothing breaks.** ${beside}`;
  if (review.formChanged) {
    return `**Nothing changed but the form of the file**, such as comments or the order. ${beside}`;
  }
  return `**Nothing changed.** ${beside}`;
}

const WHOM: { readonly [party in Party]: string } = {
  sender: 'Breaks whoever sends',
  reader: 'Breaks whoever reads',
  caller: 'Breaks whoever calls',
};
const PARTIES = ['caller', 'sender', 'reader'] as const;
const MAX_PLACES = 4;

/** Formats the changes of a review as tables, the gravest first. */
export function sectionsOf(review: Review): string[] {
  const { added, notes, invalidExamples, prose, others } = review;
  const invalid = invalidExamples.map(
    ({ name, pointer, message }) => `| ${code(name)}<br>at ${code(pointer)} | ${code(message)} |`,
  );
  return [
    ...PARTIES.flatMap((party) => table(WHOM[party], review.breaking[party], party)),
    ...titled('Examples that are invalid now', '| where | why |\n|---|---|', invalid),
    ...table('Added', added),
    ...folded('Other changes', table('', notes), notes.length),
    ...folded('Texts and examples', differences(prose), prose.length),
    ...folded('Written in another way, or not compared', differences(others), others.length),
  ];
}

/** Returns the number of breaking changes. */
export function breaksIn({ breaking }: Review): number {
  return PARTIES.reduce((sum, party) => sum + breaking[party].length, 0);
}

function titled(title: string, head: string, rows: readonly string[]): string[] {
  return rows.length === 0 ? [] : ['', `### ${title} (${rows.length})`, '', head, ...rows];
}

function differences(all: readonly NamedDifference[]): string[] {
  const rows = all.map((one) => {
    const where = [code(one.name), `at ${code(one.pointer)}`].join('<br>');
    return `| ${wordFor(one)} | ${where} | ${cell(one.was)} | ${cell(one.is)} |`;
  });
  return ['', '| what | where | was | is |', '|---|---|---|---|', ...rows];
}

function wordFor({ was, is }: PartDifference): string {
  if (was === '') return 'added';
  return is === '' ? 'removed' : 'changed';
}

function table(title: string, changes: readonly Change[], party?: Party): string[] {
  if (changes.length === 0) return [];
  const advice = party ? ' compatible instead |' : '';
  return [
    ...(title ? ['', `### ${title} (${changes.length})`] : []),
    '',
    `| what | where | was | is |${advice}`,
    `|---|---|---|---|${party ? '---|' : ''}`,
    ...changes.map((change) => {
      const cells = [
        RULES[change.rule].title,
        placeCell(change),
        cell(change.was),
        cell(change.is),
      ];
      if (party) cells.push(RULES[change.rule].breaks[party] ?? '');
      return `| ${cells.join(' | ')} |`;
    }),
  ];
}

function placeCell({ places, pointers }: Change): string {
  const where = some(places.filter(Boolean), MAX_PLACES);
  const at = some(pointers, 1);
  return [...where, ...(at.length > 0 ? [`at ${at.join(', ')}`] : [])].join('<br>');
}

function some(texts: readonly string[], most: number): string[] {
  const further = texts.length - most;
  const shown = texts.slice(0, most).map(code);
  return further > 0 ? [...shown, `and ${count(further, 'other place')}`] : shown;
}

/** The maximum size, less than the 65,536 characters of a comment on a pull request. */
const MAX_CHARACTERS = 60_000;

/** Joins lines to a comment, and cuts off the end, which has the least important ones. */
function shortened(lines: readonly string[]): string {
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
function cell(text: string): string {
  return text ? code(text) : '';
}

/** Escapes what Markdown would read as more than text. */
export function plain(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>|@#]/g, '\\$&');
}

/** Returns lines that are shown when their title is clicked; none if there is nothing to show. */
function folded(title: string, lines: readonly string[], length: number): string[] {
  if (length === 0) return [];
  return ['', `<details><summary>${title} (${length})</summary>`, ...lines, '', '</details>'];
}

/** Formats a number of things: `2 additions`. */
export function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
