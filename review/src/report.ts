import type { PartDifference } from './differences.js';
import type { Change, Pair } from './finding.js';
import type { NamedDifference, Review } from './review.js';
import { type Party, RULES } from './rules.js';

/** The words, tables and folds of a review in one form, such as Markdown. */
export interface Format {
  heading(level: 2 | 3, text: string): string;
  strong(text: string): string;
  /** Formats text of a contract, so that it is no more than text, on one line. */
  code(text: string): string;
  /** Stands between the lines of a cell. */
  readonly lineBreak: string;
  table(columns: readonly string[], rows: readonly (readonly string[])[]): string[];
  /** Formats lines that are of less interest. */
  folded(title: string, lines: readonly string[]): string[];
}

/**
 * Returns the lines of a review, with the gravest changes first.
 * @param sides short names of the versions that were compared.
 */
export function writeReport(review: Review, sides: Pair<string>, format: Format): string[] {
  return [...titleIn(format), verdict(review, sides, format), ...writeSections(review, format)];
}

/** Returns the lines that are said instead of a review if a version is missing or cannot be read. */
export function withoutReview(statement: string, reason: string, format: Format): string[] {
  return [...titleIn(format), `${format.strong(statement)} ${format.code(reason)}`];
}

function titleIn(format: Format): string[] {
  return [format.heading(2, 'What this does to clients'), ''];
}

function verdict(review: Review, sides: Pair<string>, { code, strong }: Format): string {
  const { versions, announced, accepted, added, notes, prose, others } = review;
  const broken = breaksIn(review);
  const { before, after } = versions;
  const raised = before === after ? `stays ${code(before)}` : `goes from ${code(before)} to ${code(after)}`;
  const number = accepted.reduce((sum, { changes }) => sum + changes.length, 0);
  const besides = number > 0 ? ` ${count(number, 'breaking change')} accepted.` : '';
  const beside = `Compares ${code(sides.before)} with ${code(sides.after)}; the version ${raised}.${besides}`;
  const { needed } = announced;
  const enough = needed === undefined ? 'it has to change' : `it has to be ${code(needed)} at least`;
  if (broken > 0 && !announced.breaksAnnounced) {
    const breaks = `${count(broken, 'breaking change')}, which the version does not announce`;
    return `${strong(`${breaks}: ${enough}.`)} ${beside}`;
  }
  if (broken > 0) {
    const breaks = `${count(broken, 'breaking change')}, announced by the version.`;
    return `${strong(breaks)} ${beside}`;
  }
  const nothingBreaks = strong('Nothing breaks.');
  if (added.length > 0) {
    const advice = announced.additionsAnnounced ? '' : ` For additions, ${enough}.`;
    return `${nothingBreaks} ${count(added.length, 'addition')}. ${beside}${advice}`;
  }
  if (number + notes.length + prose.length + others.length > 0) return `${nothingBreaks} ${beside}`;
  if (review.formChanged) {
    const form = strong('Nothing changed but the form of the file');
    return `${form}, such as comments or the order. ${beside}`;
  }
  return `${strong('Nothing changed.')} ${beside}`;
}

const WHOM: { readonly [party in Party]: string } = {
  sender: 'Breaks clients that send',
  reader: 'Breaks clients that read',
  caller: 'Breaks clients that call',
};
const PARTIES = ['caller', 'sender', 'reader'] as const;
const MAX_PLACES = 4;

/** Returns the lines of the changes of a review, the gravest first. */
export function writeSections(review: Review, format: Format): string[] {
  const { accepted, unneeded, added, notes, invalidExamples, prose, others } = review;
  const { code, lineBreak } = format;
  const invalid = invalidExamples.map(({ name, pointer, message }) => [
    `${code(name)}${lineBreak}at ${code(pointer)}`,
    code(message),
  ]);
  const titled = (title: string, number: number, lines: () => string[]) =>
    number === 0 ? [] : ['', format.heading(3, `${title} (${number})`), '', ...lines()];
  const folded = (title: string, number: number, lines: () => string[]) =>
    number === 0 ? [] : ['', ...format.folded(`${title} (${number})`, lines())];
  return [
    ...PARTIES.flatMap((party) => {
      const changes = review.breaking[party];
      return titled(WHOM[party], changes.length, () => changeTable(changes, format, party));
    }),
    ...accepted.flatMap(({ reason, changes }) =>
      titled('Breaks, and is accepted', changes.length, () => [
        `Reason: ${code(reason)}`,
        '',
        ...changeTable(changes, format),
      ]),
    ),
    ...titled('Accepted, and not needed', unneeded.length, () =>
      format.table(
        ['rule', 'where', 'reason'],
        unneeded.map(({ rule, at = '', reason }) => [code(rule), code(at), code(reason)]),
      ),
    ),
    ...titled('Examples that are invalid now', invalid.length, () => format.table(['where', 'why'], invalid)),
    ...titled('Added', added.length, () => changeTable(added, format)),
    ...folded('Other changes', notes.length, () => changeTable(notes, format)),
    ...folded('Texts and examples', prose.length, () => differenceTable(prose, format)),
    ...folded('Written in another way, or not compared', others.length, () => differenceTable(others, format)),
  ];
}

export function breaksIn({ breaking }: Review): number {
  return PARTIES.reduce((sum, party) => sum + breaking[party].length, 0);
}

const COLUMNS = ['what', 'where', 'was', 'is'];

function differenceTable(all: readonly NamedDifference[], format: Format): string[] {
  const { code, lineBreak } = format;
  const rows = all.map((one) => [
    wordFor(one),
    `${code(one.name)}${lineBreak}at ${code(one.pointer)}`,
    cell(one.was, format),
    cell(one.is, format),
  ]);
  return format.table(COLUMNS, rows);
}

function wordFor({ was, is }: PartDifference): string {
  if (was === '') return 'added';
  return is === '' ? 'removed' : 'changed';
}

function changeTable(changes: readonly Change[], format: Format, party?: Party): string[] {
  const rows = changes.map((change) => [
    RULES[change.rule].title,
    placeCell(change, format),
    cell(change.was, format),
    cell(change.is, format),
    ...(party ? [format.code(change.rule), RULES[change.rule].breaks[party] ?? ''] : []),
  ]);
  return format.table(party ? [...COLUMNS, 'rule', 'compatible instead'] : COLUMNS, rows);
}

function placeCell({ places, pointers }: Change, format: Format): string {
  const where = some(places.filter(Boolean), MAX_PLACES, format);
  const at = some(pointers, 1, format);
  const all = [...where, ...(at.length > 0 ? [`at ${at.join(', ')}`] : [])];
  return all.join(format.lineBreak);
}

function some(texts: readonly string[], most: number, { code }: Format): string[] {
  const further = texts.length - most;
  const shown = texts.slice(0, most).map(code);
  return further > 0 ? [...shown, `and ${count(further, 'other place')}`] : shown;
}

/** Formats the cell of a table; empty for no text. */
function cell(text: string, { code }: Format): string {
  return text ? code(text) : '';
}

const MAX_TEXT_LENGTH = 300;

/** Returns a text on one line, without its end if it is long. */
export function abbreviate(text: string): string {
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text;
}

/** Formats a number of things: `2 additions`. */
export function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
