import type { Change } from './finding.js';
import type { Review } from './review.js';
import { type Party, RULES } from './rules.js';

const WHOM: { readonly [party in Party]: string } = {
  sender: 'Breaks whoever sends',
  reader: 'Breaks whoever reads',
  caller: 'Breaks whoever calls',
};
const PARTIES = ['caller', 'sender', 'reader'] as const;

/** The maximum size, less than the 65,536 characters of a comment on a pull request. */
const MAX_CHARACTERS = 60_000;
const MAX_PLACES = 4;

/**
 * Formats a review as GitHub Flavored Markdown, with the gravest changes first. Text from a contract is put in
 * code spans, so that it mentions nobody and links nowhere.
 * @param base a short name of the version that was compared with.
 */
export function markdownOf(review: Review, base: string): string {
  const lines: string[] = ['## What this does to clients', '', verdict(review, base)];
  for (const party of PARTIES) {
    lines.push(...table(WHOM[party], review.breaking[party], party));
  }
  lines.push(...table('Added', review.added));
  lines.push(...folded('Other changes', table('', review.notes), review.notes.length));
  const prose = review.prose.map((pointer) => `- ${code(pointer)}`);
  lines.push(...folded('Words and examples', ['', ...prose], prose.length));
  return shortened(lines);
}

function verdict(
  { versions, announced, breaking, added, notes, prose }: Review,
  base: string,
): string {
  const broken = PARTIES.reduce((sum, party) => sum + breaking[party].length, 0);
  const { before, after } = versions;
  const raised =
    before === after ? `stays ${code(before)}` : `goes from ${code(before)} to ${code(after)}`;
  const beside = `Compared with ${code(base)}; the version ${raised}.`;
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
  if (notes.length + prose.length > 0) return `**Nothing breaks.** ${beside}`;
  return `**Nothing changed.** ${beside}`;
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

function cell(text: string): string {
  return text ? code(text) : '';
}

function folded(title: string, lines: readonly string[], length: number): string[] {
  if (length === 0) return [];
  return ['', `<details><summary>${title} (${length})</summary>`, ...lines, '', '</details>'];
}

const MAX_TEXT_LENGTH = 300;

/** Formats a text as code within a table: on one line, with its pipes escaped and its backticks enclosed. */
function code(text: string): string {
  const whole = text.replace(/\s+/g, ' ').replace(/\|/g, '\\|');
  const short = whole.length > MAX_TEXT_LENGTH ? `${whole.slice(0, MAX_TEXT_LENGTH)}…` : whole;
  const longest = Math.max(0, ...(short.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  const space = longest > 0 || short.startsWith(' ') ? ' ' : '';
  return `${fence}${space}${short}${space}${fence}`;
}

/** Cuts off the end, which has the least important lines. */
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

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
