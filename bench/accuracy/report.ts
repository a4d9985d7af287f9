import { row, table } from '../../testkit/markdown-table.js';
import { median } from '../../testkit/numbers.js';
import type { Finding } from '../scenarios.js';
import type { Coverage, Figures } from './measures.js';
import { PEER_NAMES, PEERS, type Peer } from './peers.js';
import type { DataTable, Task } from './tables.js';

/** Figures by split; undefined where a split was not measured. */
type BySplit = readonly (Figures | undefined)[];

/** The figures of Roster and of the peers on a table, by split. */
export interface TableFigures extends Pick<DataTable, 'name' | 'set' | 'task'> {
  /** The rows of the table. */
  readonly rows: number;
  readonly roster: readonly Figures[];
  readonly peers: Readonly<Partial<Record<Peer, BySplit>>>;
  /** Those of an earlier run. */
  readonly before?: BySplit | undefined;
}

const STRONG: Peer = 'xgboost';

/** Tables of fewer rows are not judged by the fifths of the widths of their intervals. */
const LEAST_ROWS = 300;

const meanLoss = (figures: readonly Figures[]) => mean(figures.map(({ loss }) => loss));

/** Returns the mean loss of Roster by that of a peer, over the splits that both have; NaN if they have none. */
function ratio(roster: readonly Figures[], peer: BySplit = []): number {
  const both = roster.flatMap((own, index) => {
    const other = peer[index];
    return other ? [{ own, other }] : [];
  });
  return meanLoss(both.map(({ own }) => own)) / meanLoss(both.map(({ other }) => other));
}

/** Returns the figures of a contender on the splits that were measured. */
function measured(figures: BySplit = []): Figures[] {
  return figures.filter((each) => each !== undefined);
}

/** Returns the loss of Roster on a table, in short, beside those of the peers and of an earlier run. */
export function describeBriefly({ name, roster, peers, before }: TableFigures): string {
  const ratios = [...PEER_NAMES.map((peer) => ratio(roster, peers[peer])), ratio(roster, before)];
  return row([name, meanLoss(roster).toPrecision(4), ...ratios.map(figure), `${seconds(roster)} s`]);
}

/** Returns the names and versions of the peers' libraries. */
export function listLibraries(tables: readonly TableFigures[]): string[] {
  const all = tables.flatMap(({ peers }) => Object.values(peers).flatMap(measured));
  return [...new Set(all.flatMap(({ library }) => library ?? []))].sort();
}

/** Returns a line of figures for each table. */
export function describeTables(tables: readonly TableFigures[], task: Task): string {
  const isNumbers = task === 'regression';
  const head = [
    'table',
    'rows',
    isNumbers ? 'RMSE' : 'log loss',
    ...PEER_NAMES.map((peer) => `of ${PEERS[peer]}`),
    'of before',
  ];
  const further = isNumbers ? ['coverage', 'by fifth'] : ['accuracy', `${PEERS[STRONG]}'s`, 'ECE', 'by chance'];
  const rows = tables.map((each) => [
    each.name,
    each.rows,
    meanLoss(each.roster).toPrecision(4),
    ...PEER_NAMES.map((peer) => figure(ratio(each.roster, each.peers[peer]))),
    figure(ratio(each.roster, each.before)),
    ...(isNumbers ? describeCoverage(each.roster) : describeClasses(each)),
    seconds(each.roster),
    seconds(measured(each.peers[STRONG])),
    thousands(each.roster),
    thousands(measured(each.peers[STRONG])),
  ]);
  return table([...head, ...further, 's', `${PEERS[STRONG]}'s`, 'k rows/s', `${PEERS[STRONG]}'s`], rows);
}

function describeCoverage(roster: readonly Figures[]): string[] {
  const { all, fifths } = sumCoverage(roster);
  return [figure(all), fifths.map((share) => share.toFixed(2)).join(' ')];
}

function describeClasses({ roster, peers }: TableFigures): string[] {
  const of = (figures: readonly Figures[], key: 'accuracy' | 'ece' | 'eceByChance') =>
    figure(mean(figures.map((each) => each[key] ?? Number.NaN)));
  return [
    of(roster, 'accuracy'),
    of(measured(peers[STRONG]), 'accuracy'),
    of(roster, 'ece'),
    of(roster, 'eceByChance'),
  ];
}

const seconds = (figures: readonly Figures[]) =>
  figures.length === 0 ? '' : mean(figures.map(({ training }) => training)).toFixed(2);
const thousands = (figures: readonly Figures[]) =>
  figures.length === 0 ? '' : (median(figures.map(({ rowsPerSecond }) => rowsPerSecond)) / 1000).toFixed(0);

/** Returns a line for each peer: the ratios of all tables together. */
export function summarize(tables: readonly TableFigures[]): string {
  const lines = [...PEER_NAMES, 'before' as const].flatMap((peer) => {
    const ratios = ratiosTo(tables, peer);
    if (ratios.length === 0) return [];
    const values = ratios.map(({ value }) => value);
    const worst = ratios.reduce((one, other) => (other.value > one.value ? other : one));
    const wins = `${values.filter((value) => value < 1).length} of ${values.length}`;
    const cells = [geometricMean(values), median(values), worst.value].map(figure);
    return [[peer === 'before' ? 'earlier run' : PEERS[peer], ...cells, wins]];
  });
  return table(['loss, of that of', 'geometric mean', 'median', 'worst', 'better on'], lines);
}

/** @param peer `before` for the earlier run. */
function ratiosTo(tables: readonly TableFigures[], peer: Peer | 'before'): { name: string; value: number }[] {
  return tables
    .map(({ name, roster, peers, before }) => ({
      name,
      value: ratio(roster, peer === 'before' ? before : peers[peer]),
    }))
    .filter(({ value }) => Number.isFinite(value));
}

/** Judges tables of a task, as far as they were measured. */
export function judge(tables: readonly TableFigures[], task: Task, what: string): Finding[] {
  const measured = ratiosTo(tables, STRONG);
  if (tables.length === 0) return [];
  const values = measured.map(({ value }) => value);
  const worst = Math.max(...values);
  const peer = PEERS[STRONG];
  const middle = task === 'regression' ? geometricMean(values) : median(values);
  const found: Finding[] = [];
  if (values.length > 0) {
    found.push({
      asked: `${what}, ${task === 'regression' ? 'RMSE, geometric mean' : 'log loss, median'}: at most .97 of ${peer}'s`,
      measured: `${figure(middle)} of ${values.length} tables`,
      passed: middle <= 0.97,
    });
    found.push({ asked: `${what}: the worst table at most 1.02`, measured: figure(worst), passed: worst <= 1.02 });
  }
  return [...found, ...(task === 'regression' ? judgeCoverage(tables, what) : judgeCalibration(tables, what))];
}

function judgeCoverage(tables: readonly TableFigures[], what: string): Finding[] {
  const covered = tables.map(({ rows, roster }) => ({ rows, ...sumCoverage(roster) }));
  const all = mean(covered.map((each) => each.all));
  const fifths = Array.from({ length: 5 }, (_, fifth) =>
    mean(covered.filter(({ rows }) => rows >= LEAST_ROWS).map((each) => each.fifths[fifth] ?? Number.NaN)),
  );
  const off = Math.max(...fifths.map((share) => Math.abs(share - 0.9)));
  return [
    { asked: `${what}: coverage at .9 within .015`, measured: figure(all), passed: Math.abs(all - 0.9) <= 0.015 },
    {
      asked: `${what}: by fifth of width within .05, narrowest first (tables of ${LEAST_ROWS} rows)`,
      measured: fifths.map(figure).join(' '),
      passed: off <= 0.05,
    },
  ];
}

function judgeCalibration(tables: readonly TableFigures[], what: string): Finding[] {
  const of = (key: 'ece' | 'eceByChance') =>
    mean(tables.map(({ roster }) => mean(roster.map((each) => each[key] ?? Number.NaN))));
  const [error, chance] = [of('ece'), of('eceByChance')];
  return [
    {
      asked: `${what}: expected calibration error at most 1.3 of that of exact probabilities`,
      measured: `${(error / chance).toFixed(2)}: ${figure(error)} against ${figure(chance)}`,
      passed: error <= 1.3 * chance,
    },
  ];
}

function sumCoverage(roster: readonly Figures[]): { all: number; fifths: number[] } {
  const sums = (key: keyof Coverage) =>
    Array.from({ length: 5 }, (_, fifth) =>
      roster.reduce((sum, { coverage }) => sum + (coverage?.[key][fifth] ?? 0), 0),
    );
  const [rows, covered] = [sums('rows'), sums('covered')];
  const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);
  return { all: total(covered) / total(rows), fifths: covered.map((count, fifth) => count / (rows[fifth] ?? 0)) };
}

function figure(value: number): string {
  return Number.isNaN(value) ? '' : value.toFixed(3);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function geometricMean(values: readonly number[]): number {
  return Math.exp(mean(values.map(Math.log)));
}
