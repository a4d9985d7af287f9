import type { ForecastModel, Model } from 'roster-client';
import { Scrolling, Table } from '../../plots/table.js';
import { finePercent, percent, rounded, whole, within } from '../../ui/format.js';
import { SelectField } from '../../ui/select.js';
import { targetUnit } from '../../ui/units.js';
import { ERROR_NAMES, ERRORS, errorText } from '../forecast/forecast-quality.js';

/** A metric of two versions, and which of them it favours. */
interface Compared {
  readonly name: string;
  readonly values: readonly [number, number];
  readonly format: (value: number) => string;
  /** The values that are better; none if neither are. */
  readonly better?: 'smaller' | 'larger' | undefined;
}

/** Two versions side by side: their metrics, which is better, and the importance of columns. */
export function VersionComparison({
  versions,
  chosen,
  onChoose,
}: {
  /** Versions that are ready, the newest first. */
  versions: readonly Model[];
  chosen: readonly [number, number];
  onChoose: (chosen: readonly [number, number]) => void;
}) {
  const [first, second] = chosen.map((wanted) => versions.find((model) => model.version === wanted));
  if (!first || !second) return null;
  const choice = (label: string, value: number, choose: (version: number) => void) => (
    <SelectField
      label={label}
      value={String(value)}
      options={versions.map(({ version }) => [String(version), `Version ${version}`])}
      onChoose={(version) => choose(Number(version))}
    />
  );
  return (
    <section>
      <h2>Compare two versions</h2>
      <div class="fields compare-choice">
        {choice('Compare', chosen[0], (version) => onChoose([version, chosen[1]]))}
        {choice('With', chosen[1], (version) => onChoose([chosen[0], version]))}
      </div>
      <Differences first={first} second={second} />
    </section>
  );
}

function Differences({ first, second }: { first: Model; second: Model }) {
  if (first.version === second.version) return <p>Choose two different versions.</p>;
  if (first.target !== second.target || first.task !== second.task)
    return (
      <p>
        These versions cannot be compared: version {first.version} predicts {first.target} ({first.task}), version{' '}
        {second.version} {second.target} ({second.task}).
      </p>
    );
  const importances = compareImportances(first, second);
  const largest = Math.max(...importances.flatMap(({ values }) => values.map((value) => Math.abs(value ?? 0))));
  const [write, writeChange] = [within(largest), within(largest, null, true)];
  const head = [`Version ${first.version}`, `Version ${second.version}`];
  return (
    <>
      {second.comparison?.version === first.version && second.comparison.rows > 0 && <p>{second.comparison.reason}</p>}
      <p class="faint">
        Each version is measured on held-out rows of its own table. If the tables differ, one of them may be harder to
        predict.
      </p>
      <Scrolling label="Metrics of both versions">
        <Table
          hasNames
          isCompared
          head={['Metric', ...head, 'Better']}
          rows={compareMetrics(first, second).map((metric) => [
            metric.name,
            ...metric.values.map((value) => metric.format(value)),
            verdict(metric, first.version, second.version),
          ])}
        />
      </Scrolling>
      <h3 class="spaced">Importance of columns</h3>
      <Scrolling label="Importance in both versions">
        <Table
          hasNames
          isCompared
          head={['Column', ...head, 'Difference']}
          rows={importances.map(({ name, values: [one, other] }) => [
            name,
            ...[one, other].map((value) => (value === undefined ? 'not used' : write(value))),
            one === undefined || other === undefined ? '' : writeChange(other - one),
          ])}
        />
      </Scrolling>
    </>
  );
}

function compareMetrics(first: Model, second: Model): Compared[] {
  const [unit, other] = [targetUnit(first), targetUnit(second)];
  const shared = unit === other ? unit : null;
  const amount = (value: number) => rounded(value, shared);
  if (first.task === 'regression' && second.task === 'regression') {
    return compare(first.metrics, second.metrics, ({ interval_level: level }) => [
      ['Off by, on average', ({ mae }) => mae, amount, 'smaller'],
      ['Root mean squared error', ({ rmse }) => rmse, amount, 'smaller'],
      ['Variance explained', ({ r2 }) => r2, finePercent, 'larger'],
      [intervalsAt(level), ({ interval_coverage: coverage }) => coverage, finePercent],
      ['Held-out rows', ({ held_out_rows: rows }) => rows, whole],
    ]);
  }
  if (first.task === 'forecast' && second.task === 'forecast') {
    return compare(first.metrics, second.metrics, ({ interval_level: level }) => [
      ...ERRORS.map(
        (key) =>
          [
            ERROR_NAMES[key],
            ({ errors }) => errors[key],
            (value) => errorText(key, value, shared),
            'smaller',
          ] satisfies Metric<ForecastMetrics>,
      ),
      [intervalsAt(level), ({ interval_coverage: coverage }) => coverage, finePercent],
    ]);
  }
  if (first.task !== 'classification' || second.task !== 'classification') return [];
  return compare(first.metrics, second.metrics, ({ set_level: level }) => [
    ['Accuracy', ({ accuracy }) => accuracy, finePercent, 'larger'],
    ['Balanced accuracy', ({ balanced_accuracy: share }) => share, finePercent, 'larger'],
    ['Log loss', ({ log_loss: loss }) => loss, rounded, 'smaller'],
    [`Set coverage at ${percent(level)} confidence`, ({ set_coverage: share }) => share, finePercent],
    ['Classes per set', ({ set_size: size }) => size, rounded, 'smaller'],
    ['Held-out rows', ({ held_out_rows: rows }) => rows, whole],
  ]);
}

const intervalsAt = (level: number) => `Interval coverage at ${percent(level)} confidence`;

type ForecastMetrics = NonNullable<ForecastModel['metrics']>;

type Metric<M> = readonly [
  name: string,
  /** Null if the table did not show it. */
  read: (metrics: M) => number | null,
  format: Compared['format'],
  better?: Compared['better'],
];

function compare<M>(first: M | null, second: M | null, describe: (metrics: M) => readonly Metric<M>[]): Compared[] {
  if (first === null || second === null) return [];
  return describe(first).flatMap(([name, read, format, better]) => {
    const [one, other] = [read(first), read(second)];
    return one === null || other === null ? [] : [{ name, values: [one, other], format, better }];
  });
}

/** Says which version a metric favours, and by how much. */
function verdict({ values: [one, other], format, better }: Compared, a: number, b: number): string {
  if (better === undefined) return '';
  const isFirst = better === 'smaller' ? one < other : one > other;
  if (format(one) === format(other)) return 'equal';
  const winner = `Version ${isFirst ? a : b}`;
  const distance = Math.abs(one - other);
  // Shares differ in points, other figures in percent of the worse one.
  if (format === finePercent) return `${winner}, by ${rounded(100 * distance)} points`;
  return `${winner}, by ${finePercent(distance / Math.max(Math.abs(one), Math.abs(other)))}`;
}

function compareImportances(first: Model, second: Model) {
  const [a, b] = [first, second].map(
    ({ columns }) =>
      new Map(
        columns?.flatMap(({ name, importance }): [string, number][] =>
          importance ? [[name, importance.permutation]] : [],
        ),
      ),
  );
  const names = new Set([...(b?.keys() ?? []), ...(a?.keys() ?? [])]);
  const weight = (name: string) => Math.max(a?.get(name) ?? 0, b?.get(name) ?? 0);
  return [...names]
    .sort((one, other) => weight(other) - weight(one))
    .map((name) => ({ name, values: [a?.get(name), b?.get(name)] as const }));
}
