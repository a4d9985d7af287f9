import type { ForecastModel } from 'roster-client';
import { BottomAxis, CHARACTER, LeftAxis } from '../../plots/axes.js';
import { Band } from '../../plots/band.js';
import { Figure } from '../../plots/figure.js';
import { clamped, robustExtent, type Scale } from '../../plots/scale.js';
import { count, labelWithUnit, percent, tick, whole, within } from '../../ui/format.js';
import { targetUnit } from '../../ui/units.js';
import { seriesName } from './forecast-quality.js';
import type { Known, ShownForecast, Step } from './load-forecast.js';

/** The last values of a series, and a forecast with the band of its intervals. */
export function ForecastFigure({
  model,
  forecast: { asked, steps },
  history,
}: {
  model: ForecastModel;
  forecast: ShownForecast;
  history: readonly Known[];
}) {
  const { target, order_by } = model;
  const unit = targetUnit(model);
  const text = within(Math.max(...steps.map(({ low, high }) => high - low)), unit);
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined) {
    return <p>There is no such series, or it has too few values before this forecast.</p>;
  }
  const shown = history.filter(({ at }) => at <= last.at);
  const times = [...shown.filter(({ at }) => at < first.at), ...steps];
  // Times of a day are left out where there are several days.
  const starts = times.filter(({ day }, index) => day !== times[index - 1]?.day);
  const labels = new Map(
    starts.length > 1 ? starts.map(({ at, day }) => [at, day]) : times.map(({ at, moment }) => [at, moment]),
  );
  const longest = Math.max(...[...labels.values()].map(({ length }) => length));
  const drawn = shown.filter(({ actual }) => actual !== null);
  const past = drawn.filter(({ at }) => at < first.at);
  return (
    <Figure
      title={asked.groups.length > 0 ? `${target} of ${seriesName(asked.groups)}` : target}
      description={describe(steps, asked.back > 0, asked.confidence)}
      table={{
        head: [order_by, 'Value', 'Forecast', 'Interval from', 'Interval to'],
        rows: [
          ...past.map(({ moment, actual }) => [moment, text(actual ?? 0), '', '', '']),
          ...steps.map(({ moment, value, low, high, actual }) => [
            moment,
            actual === null ? '' : text(actual),
            ...[value, low, high].map(text),
          ]),
        ],
      }}
      height={340}
    >
      {(area) => {
        const x = momentScale(times, [...labels.keys()], [area.left, area.right], CHARACTER * longest + 12);
        const label = (at: number) => labels.get(at) ?? '';
        const values = drawn.map(({ actual }) => actual ?? 0);
        const { domain } = robustExtent([...steps.flatMap(({ low, high }) => [low, high]), ...values], 0.04);
        const y = clamped(domain, [area.bottom, area.top]);
        const points = steps.map(({ at, value, low, high }) => ({ x: x(at), y: y(value), low: y(low), high: y(high) }));
        // The fan begins where the history ends.
        const before = past.at(-1);
        const [begin] = before ? [{ x: x(before.at), y: y(before.actual ?? 0) }] : [];
        const fan = begin ? [{ ...begin, low: begin.y, high: begin.y }, ...points] : points;
        return (
          <>
            <LeftAxis scale={y} area={area} label={labelWithUnit(target, unit)} format={tick} />
            <BottomAxis scale={x} area={area} label={order_by} format={label} />
            <Band points={fan} />
            <polyline
              class="stroke actual"
              points={drawn.map(({ at, actual }) => `${x(at)},${y(actual ?? 0)}`).join(' ')}
            />
            {drawn.map(({ at, moment, actual }) => (
              <circle
                key={at}
                class="mark actual"
                cx={x(at)}
                cy={y(actual ?? 0)}
                r={past.length > 60 ? 1.5 : 3}
                data-values={`${moment}: ${text(actual ?? 0)}`}
              />
            ))}
            {steps.map(({ at, moment, value, low, high }) => (
              <circle
                key={at}
                class="unseen"
                cx={x(at)}
                cy={y(value)}
                r="3"
                data-values={`${moment}: forecast ${text(value)} (${text(low)} to ${text(high)})`}
              />
            ))}
          </>
        );
      }}
    </Figure>
  );
}

/** Places steps, and labels as many of some as there is room for: dates are never round. */
function momentScale(
  times: readonly Known[],
  labelled: readonly number[],
  range: readonly [number, number],
  labelWidth: number,
): Scale {
  const most = Math.max(1, Math.floor((range[1] - range[0]) / labelWidth));
  const stride = Math.ceil(labelled.length / most);
  const ticks = labelled.filter((_, index) => index % stride === stride >> 1);
  return Object.assign(clamped([times[0]?.at ?? 0, times.at(-1)?.at ?? 0], range), { ticks });
}

function describe(steps: readonly Step[], isBacktest: boolean, confidence: number): string {
  const level = percent(confidence);
  const range = `from ${steps[0]?.moment} to ${steps.at(-1)?.moment}`;
  if (!isBacktest) {
    return `The next ${count(steps.length, 'step')}, ${range}. The actual values should be within the band with ${level} confidence.`;
  }
  const came = steps.filter(({ actual }) => actual !== null);
  const within = came.filter(({ actual, low, high }) => low <= Number(actual) && Number(actual) <= high);
  return `${count(steps.length, 'step')} ${range}, as they would have been forecast before. ${whole(within.length)} of the ${count(came.length, 'value')} that came are within the band, for ${level} confidence.`;
}
