import type { ForecastModel } from 'roster-client';
import { nameSeason, wilson } from 'roster-prediction/browser';
import { BottomAxis, LeftAxis } from '../../plots/axes.js';
import { Bars } from '../../plots/bars.js';
import { Captioned, Figure } from '../../plots/figure.js';
import { linearScale, type Scale } from '../../plots/scale.js';
import { Scrolling, Table } from '../../plots/table.js';
import { href } from '../../router/route.js';
import { type Fact, Facts } from '../../ui/facts.js';
import { capitalized, count, finePercent, moment, percent, rounded, type Unit, whole } from '../../ui/format.js';
import { targetUnit } from '../../ui/units.js';

type Metrics = NonNullable<ForecastModel['metrics']>;

/** The names of the errors of a forecast. */
export const ERROR_NAMES = { mae: 'Off by, on average', smape: 'sMAPE', mase: 'MASE' } as const;

export const ERRORS = ['mae', 'smape', 'mase'] as const;

/** Writes an error: the first in the unit of the target, the second in percent, the third without a unit. */
export function errorText(key: (typeof ERRORS)[number], value: number | null, unit: Unit): string {
  if (value === null) return '–';
  return rounded(value, { mae: unit, smape: '%', mase: null }[key]);
}

/** The quality of a forecaster: its errors, its intervals, its series. */
export function ForecastQuality({ project, model }: { project: string; model: ForecastModel }) {
  const { metrics } = model;
  if (metrics === null) return null;
  return (
    <>
      <h2>Accuracy</h2>
      <Errors metrics={metrics} unit={targetUnit(model)} />
      <div class="figures spaced">
        <ErrorsByStep metrics={metrics} target={model.target} unit={targetUnit(model)} />
        <CoverageByStep metrics={metrics} />
      </div>
      <h2>Series</h2>
      <SeriesFacts model={model} />
      <div class="figures spaced">
        <Seasons model={model} metrics={metrics} />
        <WorstSeries project={project} model={model} metrics={metrics} />
      </div>
    </>
  );
}

function Errors({ metrics, unit }: { metrics: Metrics; unit: Unit }) {
  const { errors, baseline_errors: baseline } = metrics;
  return (
    <>
      <p class="faint">Smaller is better. A MASE of 1 is the usual error of repeating the last season.</p>
      <Scrolling label="Errors">
        <Table
          hasNames
          isCompared
          head={['Error', 'This model', 'Repeating the last season']}
          rows={ERRORS.map((key) => [
            ERROR_NAMES[key],
            errorText(key, errors[key], unit),
            errorText(key, baseline[key], unit),
          ])}
        />
      </Scrolling>
    </>
  );
}

/** Places steps, and labels whole ones: a short horizon would else have a step 1.5. */
function stepScale(
  [first, last]: readonly [number, number],
  [from, to]: readonly [number, number],
  labelWidth = 60,
): Scale {
  const scale = linearScale([first, last], [from, to], Math.min(last - first + 1, (to - from) / labelWidth));
  const ticks = scale.ticks.filter((tick) => Number.isInteger(tick) && tick <= last);
  return Object.assign((step: number) => scale(step), { ticks });
}

function ErrorsByStep({ metrics, target, unit }: { metrics: Metrics; target: string; unit: Unit }) {
  const { errors_by_step: errors, baseline_errors_by_step: baseline } = metrics;
  const most = Math.max(...errors.map(({ mae }) => mae), ...baseline.map(({ mae }) => mae)) || 1;
  return (
    <Figure
      title="Error by step"
      description="The dashed line is repeating the last season."
      table={{
        head: ['Step', ...ERRORS.flatMap((key) => [ERROR_NAMES[key], `${ERROR_NAMES[key]}, last season`])],
        rows: errors.map((error, index) => [
          whole(index + 1),
          ...ERRORS.flatMap((key) => [
            errorText(key, error[key], unit),
            errorText(key, baseline[index]?.[key] ?? null, unit),
          ]),
        ]),
      }}
    >
      {(area) => {
        const x = stepScale([1, errors.length], [area.left, area.right]);
        const y = linearScale([0, most], [area.bottom, area.top], 4);
        const line = (values: readonly { mae: number }[]) =>
          values.map(({ mae }, index) => `${x(index + 1)},${y(mae)}`).join(' ');
        return (
          <>
            <LeftAxis
              scale={y}
              area={area}
              label={unit ? `Off by (${unit})` : `Off by, in units of ${target}`}
              format={rounded}
            />
            <BottomAxis scale={x} area={area} label="Step" format={whole} />
            <polyline class="reference" fill="none" points={line(baseline)} />
            <polyline class="stroke" points={line(errors)} />
            {errors.map(({ mae }, index) => (
              <circle
                key={index}
                class="unseen"
                cx={x(index + 1)}
                cy={y(mae)}
                r="3"
                data-values={`Step ${whole(index + 1)}: ${errorText('mae', mae, unit)}, last season ${errorText('mae', baseline[index]?.mae ?? null, unit)}`}
              />
            ))}
          </>
        );
      }}
    </Figure>
  );
}

function CoverageByStep({ metrics }: { metrics: Metrics }) {
  const { interval_level: level, interval_coverage: coverage, value_count } = metrics;
  const all = metrics.interval_coverage_by_step;
  const perStep = Math.max(1, value_count / Math.max(1, all.length));
  const measured = all.flatMap((share, index) =>
    share === null ? [] : [{ step: index + 1, share, range: wilson(share, perStep) }],
  );
  if (measured.length === 0) {
    return <p>There are too few values to count how many lie within their intervals.</p>;
  }
  const low = Math.floor(Math.min(level, ...measured.map(({ range }) => range[0])) * 20) / 20;
  const total = coverage === null ? '' : `Of all values, ${finePercent(coverage)} are within their intervals. `;
  return (
    <Figure
      title="Coverage by step"
      description={`${total}Each step should be near the dashed line, ${percent(level)}. The line through a point is its margin of error.`}
      table={{
        head: ['Step', 'Interval coverage', `Margin of error (${percent(0.95)})`],
        rows: measured.map(({ step, share, range }) => [
          whole(step),
          finePercent(share),
          range.map(finePercent).join(' to '),
        ]),
      }}
    >
      {(area) => {
        // Half a step of room keeps the first and the last point off the axes.
        const x = stepScale([1, all.length], [area.left + 12, area.right - 12]);
        const y = linearScale([low, 1], [area.bottom, area.top], 4);
        return (
          <>
            <LeftAxis scale={y} area={area} label="Interval coverage" format={percent} />
            <BottomAxis scale={x} area={area} label="Step" format={whole} />
            <line class="reference" x1={area.left} x2={area.right} y1={y(level)} y2={y(level)} />
            {measured.map(({ step, share, range: [from, to] }) => (
              <g key={step}>
                <line class="range" x1={x(step)} x2={x(step)} y1={y(from)} y2={y(to)} />
                <circle
                  class="mark"
                  cx={x(step)}
                  cy={y(share)}
                  r="4"
                  data-values={`Step ${whole(step)}: ${finePercent(share)} (${finePercent(from)} to ${finePercent(to)})`}
                />
              </g>
            ))}
          </>
        );
      }}
    </Figure>
  );
}

function SeriesFacts({ model: { series, order_by, horizon } }: { model: ForecastModel }) {
  const { step, gaps, longest_gap } = series;
  const facts: readonly Fact[] = [
    ['Series', whole(series.count)],
    ['Step', step.unit === 'number' ? `${rounded(step.count)} in ${order_by}` : count(step.count, step.unit)],
    ['Season', series.season > 1 ? count(series.season, 'step') : 'None found'],
    ['Forecast', `${count(horizon, 'step')} ahead`],
    ['From', moment(series.first)],
    ['To', moment(series.last)],
    [
      'Steps in a series',
      series.shortest === series.longest
        ? whole(series.longest)
        : `${whole(series.shortest)} to ${whole(series.longest)}`,
    ],
    ['Steps without a value', whole(gaps)],
    ['Longest gap', count(longest_gap, 'step')],
  ];
  return <Facts class="model-facts" facts={facts} />;
}

/** The seasons that were looked for, and how much of the movement of the series each makes up. */
function Seasons({ model: { series }, metrics: { seasons } }: { model: ForecastModel; metrics: Metrics }) {
  if (!seasons) return null;
  return (
    <Captioned title="Seasons" description="The share of the movement that each makes up, in the series that have it.">
      <Bars
        rows={seasons.map(({ length, series_share, strength }) => ({
          name: `${capitalized(nameSeason(series.step, length))}, in ${percent(series_share)} of the series`,
          share: strength ?? 0,
          text: percent(strength ?? 0),
        }))}
      />
    </Captioned>
  );
}

/** The parameter of an address that names a series: its values of the group columns, as an array of JSON. */
export const SERIES = 'series';

/** The name of a series: its values of the group columns. */
export const seriesName = (groups: readonly (string | null)[]) =>
  groups.map((value) => value ?? '(no value)').join(', ');

function WorstSeries({
  project,
  model,
  metrics: { worst_series: worst },
}: {
  project: string;
  model: ForecastModel;
  metrics: Metrics;
}) {
  const longest = worst[0]?.mase || 1;
  if (model.group_by.length === 0 || worst.length === 0) return null;
  return (
    <Captioned
      title="Series with the largest errors"
      description="Their MASE, the worst first. Above 1, repeating the last season is usually better."
    >
      <Bars
        rows={worst.map(({ groups, mase }) => ({
          name: seriesName(groups),
          address: href(['projects', project, 'models', model.name, 'try'], {
            [SERIES]: JSON.stringify(groups.map((value) => value ?? '')),
          }),
          share: mase / longest,
          text: rounded(mase),
        }))}
      />
    </Captioned>
  );
}
