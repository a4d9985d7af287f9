import { table } from '../../testkit/markdown-table.js';
import type { Comparison } from './compare.js';
import type { Promised } from './promises.js';

/** The marks of a status in the matrix. */
const MARKS = { exercised: '✓', excused: '·', gap: '✗' } as const;

/**
 * Formats the comparison as Markdown: a table of operations by statuses, where each cell counts the status, its
 * headers and its examples; below it the excused promises and the missing ones.
 */
export function matrix(
  promises: readonly Promised[],
  exercised: ReadonlySet<string>,
  { gaps, needless, stale, excused }: Comparison,
): string {
  const columns = [...new Set(promises.flatMap(({ status }) => status ?? []))].sort();
  const rows = [...new Set(promises.map(({ of }) => of))].map((name) => {
    const own = promises.filter(({ of }) => of === name);
    return [
      name,
      cell(own.filter(({ status }) => status === undefined)),
      ...columns.map((column) => cell(own.filter(({ status }) => status === column))),
    ];
  });
  const count = promises.filter(({ id }) => exercised.has(id)).length;
  return [
    '# What the tests have exercised of the contract',
    '',
    `${count} of ${promises.length} promises were exercised against the server, ${excused.size} have a reason not to be.`,
    'A cell counts the status, its headers and its examples; *request*, the examples of bodies and parameters.',
    `${MARKS.exercised} all of them, ${MARKS.excused} some with a reason, ${MARKS.gap} some with none.`,
    '',
    table(['operation', 'request', ...columns], rows),
    ...section('Not exercised, with a reason', reasonLines(excused)),
    ...section('Gaps: write a test, correct the contract, or give a reason', gaps.map(asItem)),
    ...section('Reasons for what is exercised: remove them', needless.map(asItem)),
    ...section('Reasons for what the contract does not promise: remove them', stale.map(asItem)),
  ].join('\n');

  function cell(own: readonly Promised[]): string {
    if (own.length === 0) return '';
    const kept = own.filter(({ id }) => exercised.has(id)).length;
    if (kept === own.length) return `${MARKS.exercised} ${kept}`;
    const isExplained = own.every(({ id }) => exercised.has(id) || excused.has(id));
    return `${isExplained ? MARKS.excused : MARKS.gap} ${kept}/${own.length}`;
  }
}

/**
 * Formats as Markdown what `npm run test:rest` alone has exercised.
 * @param quick the comparison with the records of `npm test`
 * @param all the comparison with those of both commands
 */
export function matrixOfTheRest(quick: Comparison, all: Comparison): string {
  const excused = new Map([...quick.excused].filter(([id]) => !all.excused.has(id)));
  return [
    ...section('Exercised by npm run test:rest alone, with a reason', reasonLines(excused)),
    ...section('Gaps of npm test: write a test on SQLite, or give a reason', quick.gaps.map(asItem)),
    ...section('Reasons for what npm test exercises: remove them', quick.needless.map(asItem)),
    ...section('Reasons of the rest for what the contract does not promise: remove them', quick.stale.map(asItem)),
  ].join('\n');
}

function reasonLines(excused: ReadonlyMap<string, string>): string[] {
  return [...new Set(excused.values())].map((because) => {
    const ids = [...excused.keys()].filter((id) => excused.get(id) === because);
    return `- ${because} (${ids.length}: ${inShort(ids)})`;
  });
}

function inShort(ids: readonly string[]): string {
  const shown = ids.slice(0, 4).map((id) => `\`${id}\``);
  return ids.length > shown.length ? `${shown.join(', ')}, …` : shown.join(', ');
}

const asItem = (id: string) => `- \`${id}\``;

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `## ${title}`, '', ...lines];
}
