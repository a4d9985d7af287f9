import type { PartDifference } from '../differences.js';
import type { Change } from '../finding.js';
import type { NamedDifference, Review } from '../review.js';
import { type Party, RULES } from '../rules.js';
import { cell, code, count, folded } from './words.js';

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
