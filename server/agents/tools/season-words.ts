import { nameSeason, type SeriesServer } from 'roster-prediction/predicting';

type Facts = Pick<SeriesServer['model'], 'metrics' | 'grid'>;

/** A season of fewer series is not named. */
const LEAST_SHARE = 0.05;

/** Says which seasons were found in the series of a model, and how good its forecasts were beside the best naive ones. */
export function describeSeasons({ metrics, grid }: Facts): string {
  const { errors, baseline_errors, seasons = [] } = metrics;
  const found = seasons
    .filter(({ series_share }) => series_share >= LEAST_SHARE)
    .map((season) => ({ ...season, name: nameSeason(grid.step, season.length) }));
  const named = found.map(
    ({ name, series_share, strength }) =>
      `the ${name} (in ${percent(series_share)} of the series, where it makes up ${percent(strength ?? 0)} of the movement)`,
  );
  const repeats =
    named.length > 0
      ? `Values repeat by ${named.join(' and ')}.`
      : seasons.length > 0
        ? 'No season was found.'
        : undefined;
  const naives = [
    { name: 'the last season or value', mae: baseline_errors.mae },
    ...seasons.map(({ length, repeat_errors: { mae } }) => ({
      name: `the last ${nameSeason(grid.step, length)}`,
      mae,
    })),
  ];
  const best = naives.reduce((one, other) => (other.mae < one.mae ? other : one));
  const beside = `On the last values of the series, forecasts were off by ${short(errors.mae)} on average; the best naive forecast, repeating ${best.name}, by ${short(best.mae)}.`;
  return repeats === undefined ? beside : `${repeats} ${beside}`;
}

const percent = (share: number) => `${Math.round(100 * share)} %`;

const short = (value: number) => String(Number(value.toPrecision(3)));
