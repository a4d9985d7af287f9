import { median } from '../../testkit/numbers.js';
import { table, verdict } from '../report.js';
import type { Contender } from './contenders.js';
import type { Limit } from './groups.js';
import type { Cell } from './measure.js';
import type { Operation } from './operations.js';

/** Formats a table with a row for each operation and a column for each contender. */
export function figures(cells: readonly Cell[]): string {
  const contenders = distinct(cells.map(({ contender }) => contender));
  const rows = distinct(cells.map(({ operation }) => operation)).map((operation) => [
    operation.name,
    ...contenders.map((contender) => figure(find(cells, [contender, operation]))),
  ]);
  return table(
    ['processor a request, requests a second', ...contenders.map(({ title }) => title)],
    rows,
  );
}

function figure(cell: Cell | undefined): string {
  if (!cell) return '';
  const cost = median(cell.rounds.map(({ cost }) => cost));
  const rate = median(cell.rounds.map(({ rate }) => rate));
  return `${cost.toFixed(0)} µs, ${rate.toFixed(0)}/s`;
}

/** A limit, and the measured ratios. */
export interface Verdict {
  readonly limit: Limit;
  /** The ratio of each round. */
  readonly ratios: readonly number[];
  /** The ratio of the cheapest rounds: other load on the machine only adds to the cost of a round. */
  readonly cheapest: number;
  readonly isKept: boolean;
}

/** Returns the verdicts on the limits whose figures were measured. */
export function verdicts(limits: readonly Limit[], cells: readonly Cell[]): Verdict[] {
  return limits.flatMap((limit) => {
    const of = find(cells, limit.of);
    const over = find(cells, limit.over);
    if (!of || !over) return [];
    const cheapest = cheapestOf(of) / cheapestOf(over);
    const ratios = of.rounds.map(({ cost }, round) => cost / (over.rounds[round]?.cost ?? 0));
    return [{ limit, ratios, cheapest, isKept: median(ratios) <= limit.most }];
  });
}

export function verdictTable(verdicts: readonly Verdict[]): string {
  return table(
    ['processor a request', 'at most', 'measured', 'of the cheapest rounds', ''],
    verdicts.map(({ limit, ratios, cheapest, isKept }) => [
      limit.asked,
      limit.most.toFixed(2),
      `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`,
      cheapest.toFixed(2),
      verdict(isKept),
    ]),
  );
}

function cheapestOf({ rounds }: Cell): number {
  return Math.min(...rounds.map(({ cost }) => cost));
}

function find(
  cells: readonly Cell[],
  [contender, operation]: readonly [Contender, Operation],
): Cell | undefined {
  return cells.find((cell) => cell.contender === contender && cell.operation === operation);
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
