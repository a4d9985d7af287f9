import type { Model } from 'roster-client';
import { Field } from '../../ui/field.js';
import { finePercent, measure, number, percent, rounded, signed, whole } from '../../ui/format.js';

import { targetUnit } from '../../ui/units.js';
import { ERROR_NAMES, errorText } from '../forecast/forecast-quality.js';

/** A metric of two versions, and which of them it favours. */
interface Compared {
  readonly name: string;
  readonly values: readonly [number, number];
  readonly format: (value: number) => string;
  /** The values that are better; none if neither are. */
  readonly better?: 'smaller' | 'larger';
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
  const [first, second] = chosen.map((wanted) =>
    versions.find((model) => model.version === wanted),
  );
  if (!first || !second) return null;
  const choice = (label: string, value: number, choose: (version: number) => void) => (
    <Field label={label}>
      {(control) => (
        <select
          {...control}
          value={String(value)}
          onChange={(event) => choose(Number(event.currentTarget.value))}
        >
          {versions.map(({ version }) => (
            <option key={version} value={String(version)}>
              Version {version}
            </option>
          ))}
        </select>
      )}
    </Field>
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
        These versions cannot be compared: version {first.version} predicts {first.target} (
        {first.task}), version {second.version} {second.target} ({second.task}).
      </p>
    );
  const head = ['', `Version ${first.version}`, `Version ${second.version}`];
  return (
    <>
      {second.comparison?.version === first.version && second.comparison.rows > 0 && (
        <p>{second.comparison.reason}</p>
      )}
      <p class="faint">
        Each version is measured on held-out rows of its own table. If the tables differ, one of
        them may be harder to predict.
      </p>
      {/* A table that is wider than the page scrolls, also by keyboard. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the focus */}
      <section class="table-scroll" tabIndex={0} aria-label="Metrics of both versions">
        <table class="compared">
          <thead>
            <tr>
              <th scope="col">Metric</th>
              <th scope="col">{head[1]}</th>
              <th scope="col">{head[2]}</th>
              <th scope="col">Better</th>
            </tr>
          </thead>
          <tbody>
            {metricsOf(first, second).map((metric) => (
              <tr key={metric.name}>
                <th scope="row">{metric.name}</th>
                <td>{metric.format(metric.values[0])}</td>
                <td>{metric.format(metric.values[1])}</td>
                <td>{verdict(metric, first.version, second.version)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <h3 class="spaced">Importance of columns</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the focus */}
      <section class="table-scroll" tabIndex={0} aria-label="Importance in both versions">
        <table class="compared">
          <thead>
            <tr>
              <th scope="col">Column</th>
              <th scope="col">{head[1]}</th>
              <th scope="col">{head[2]}</th>
              <th scope="col">Difference</th>
            </tr>
          </thead>
          <tbody>
            {importancesOf(first, second).map(({ name, values: [one, other] }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{one === undefined ? 'not used' : rounded(one)}</td>
                <td>{other === undefined ? 'not used' : rounded(other)}</td>
                <td>
                  {one === undefined || other === undefined ? '' : signed(other - one, rounded)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

function metricsOf(first: Model, second: Model): Compared[] {
  const [unit, other] = [targetUnit(first), targetUnit(second)];
  const amount = (value: number) => measure(value, unit === other ? unit : null);
  if (first.task === 'regression' && second.task === 'regression') {
    const { metrics: a } = first;
    const { metrics: b } = second;
    if (!a || !b) return [];
    return [
      { name: 'Off by, on average', values: [a.mae, b.mae], format: amount, better: 'smaller' },
      {
        name: 'Root mean squared error',
        values: [a.rmse, b.rmse],
        format: amount,
        better: 'smaller',
      },
      { name: 'Variance explained', values: [a.r2, b.r2], format: finePercent, better: 'larger' },
      {
        name: `Interval coverage at ${percent(a.interval_level)} confidence`,
        values: [a.interval_coverage, b.interval_coverage],
        format: finePercent,
      },
      {
        name: 'Held-out rows',
        values: [a.held_out_rows, b.held_out_rows],
        format: whole,
      },
    ];
  }
  if (first.task === 'forecast' && second.task === 'forecast') {
    const { metrics: a } = first;
    const { metrics: b } = second;
    if (!a || !b) return [];
    const errors = (['mae', 'smape', 'mase'] as const).flatMap((key): Compared[] => {
      const values = [a.errors[key] ?? Number.NaN, b.errors[key] ?? Number.NaN] as const;
      return values.some(Number.isNaN)
        ? []
        : [
            {
              name: ERROR_NAMES[key],
              values,
              format: (value) => errorText(key, value, unit === other ? unit : null),
              better: 'smaller',
            },
          ];
    });
    const coverage: Compared = {
      name: `Interval coverage at ${percent(a.interval_level)} confidence`,
      values: [a.interval_coverage ?? Number.NaN, b.interval_coverage ?? Number.NaN],
      format: finePercent,
    };
    return coverage.values.some(Number.isNaN) ? errors : [...errors, coverage];
  }
  if (first.task !== 'classification' || second.task !== 'classification') return [];
  const { metrics: a } = first;
  const { metrics: b } = second;
  if (!a || !b) return [];
  return [
    {
      name: 'Accuracy',
      values: [a.accuracy, b.accuracy],
      format: finePercent,
      better: 'larger',
    },
    {
      name: 'Balanced accuracy',
      values: [a.balanced_accuracy, b.balanced_accuracy],
      format: finePercent,
      better: 'larger',
    },
    { name: 'Log loss', values: [a.log_loss, b.log_loss], format: measure, better: 'smaller' },
    {
      name: `Set coverage at ${percent(a.set_level)} confidence`,
      values: [a.set_coverage, b.set_coverage],
      format: finePercent,
    },
    {
      name: 'Classes per set',
      values: [a.set_size, b.set_size],
      format: number,
      better: 'smaller',
    },
    { name: 'Held-out rows', values: [a.held_out_rows, b.held_out_rows], format: whole },
  ];
}

/** Says which version a metric favours, and by how much. */
function verdict({ values: [one, other], format, better }: Compared, a: number, b: number): string {
  if (better === undefined) return '';
  const isFirst = better === 'smaller' ? one < other : one > other;
  if (format(one) === format(other)) return 'equal';
  const winner = `Version ${isFirst ? a : b}`;
  const distance = Math.abs(one - other);
  // Shares differ in points, other figures in percent of the worse one.
  if (format === finePercent) return `${winner}, by ${rounded(100 * distance)} percentage points`;
  return `${winner}, by ${finePercent(distance / Math.max(Math.abs(one), Math.abs(other)))}`;
}

function importancesOf(first: Model, second: Model) {
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
