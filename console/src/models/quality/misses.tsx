import { useState } from 'preact/hooks';
import { answered, type Model } from 'roster-client';
import type { components } from '../../../../generated/openapi.js';
import { Bars } from '../../plots/bars.js';
import { Captioned } from '../../plots/figure.js';
import { Scrolling, Table } from '../../plots/table.js';
import { Words } from '../../plots/words.js';
import { explainRow } from '../../predictions/contributions.js';
import { WhyDialog } from '../../predictions/why.js';
import { roster } from '../../session/roster.js';
import { useLoaded } from '../../session/use-loaded.js';
import { truncate } from '../../tables/table-preview.js';
import { count, finePercent, rounded, ungrouped, whole, within } from '../../ui/format.js';
import { Loading } from '../../ui/loading.js';
import { targetUnit } from '../../ui/units.js';

type Errors = components['schemas']['ModelErrors'];
type ErrorRow = Errors['rows'][number];

/** The rows that a model misses by most, and the slices of the table in which it errs most. */
export function Misses({ project, model }: { project: string; model: Model }) {
  const { name: modelName, version } = model;
  const { loaded, reload } = useLoaded(
    (signal) =>
      answered(
        roster.GET('/api/projects/{projectName}/models/{modelName}/errors', {
          params: { path: { projectName: project, modelName }, query: { version } },
          signal,
        }),
      ),
    [project, modelName, version],
  );
  return (
    <section>
      <h2>Where it errs</h2>
      <Loading loaded={loaded} what="the largest errors" retry={reload}>
        {(errors) =>
          errors.reason === null ? (
            <>
              <Slices errors={errors} model={model} />
              <Rows errors={errors} project={project} model={model} />
            </>
          ) : (
            <p>{errors.reason}</p>
          )
        }
      </Loading>
    </section>
  );
}

const MEASURES = {
  absolute_error: 'Off by, on average',
  log_loss: 'Log loss',
  scaled_error: 'Error, in units of that of repeating the last season',
} as const;

function Slices({ errors: { slices, error, measure }, model }: { errors: Errors; model: Model }) {
  if (slices.length === 0 || error === null || measure === null) {
    return <p>No value of a column has larger errors than chance explains.</p>;
  }
  const longest = Math.max(...slices.map((slice) => slice.error));
  const write = (value: number) => rounded(value, measure === 'absolute_error' ? targetUnit(model) : null);
  const bar = (name: string, value: number, isFaint: boolean) => {
    return { name, share: value / longest, text: write(value), isFaint };
  };
  return (
    <Captioned
      title="The worst slices"
      description={`${MEASURES[measure]}, where a column has these values, beside all rows. Chance explains none of them.`}
    >
      <Bars
        rows={[
          ...slices.map((slice) => bar(`${nameOf(slice)} (${count(slice.rows, 'row')})`, slice.error, false)),
          bar('All rows', error, true),
        ]}
      />
    </Captioned>
  );
}

function nameOf({ column, value, from, to }: Errors['slices'][number]): string {
  if (from !== null) return `${column} from ${from} to ${to}`;
  return `${column} = ${value ?? '(no value)'}`;
}

/** The most rows to show at first. */
const MAX_SHOWN = 10;

function Rows({
  errors: { rows, columns, contributions, measure },
  project,
  model,
}: {
  errors: Errors;
  project: string;
  model: Model;
}) {
  const [isAll, setAll] = useState(false);
  const [explained, explain] = useState<ErrorRow>();
  const isClass = model.task === 'classification';
  const [first] = rows;
  const largest = first?.error ?? 0;
  // The error of a forecast is in units of another one, unlike its values.
  const digits = model.task === 'forecast' ? (model.metrics?.errors.mae ?? 0) : largest;
  const write = within(digits, targetUnit(model));
  const writeError = measure === 'absolute_error' ? write : within(largest);
  const text = (value: string | number | null) => (typeof value === 'number' ? write(value) : truncate(value ?? ''));
  const [place, placeName] =
    model.task === 'forecast'
      ? ['step' as const, 'Steps ahead']
      : first?.line == null
        ? ['row' as const, 'Row']
        : ['line' as const, 'Line'];
  const placeOf = (row: ErrorRow) => whole(row[place] ?? 0);
  return (
    <>
      <h3 class="spaced">The rows that it misses by most</h3>
      <p class="hint">
        The model was not trained on them when it predicted them.
        {isClass && ' The reasons are in log-odds of the prediction.'}
      </p>
      <Scrolling isPreview isWide label="The rows that it misses by most">
        <Table
          head={[
            placeName,
            'True value',
            'Prediction',
            isClass ? 'Probability of the true value' : 'Error',
            ...(contributions.length > 0 ? ['Predicted so because'] : []),
            ...columns.map((name) => <Words name={name} />),
          ]}
          rows={rows.slice(0, isAll ? undefined : MAX_SHOWN).map((row) => [
            model.task === 'forecast' ? (
              placeOf(row)
            ) : (
              <button
                type="button"
                class="why-row"
                aria-label={`Why is ${place} ${placeOf(row)} predicted so?`}
                onClick={() => explain(row)}
              >
                {placeOf(row)}
              </button>
            ),
            text(row.truth),
            text(row.predicted),
            isClass ? finePercent(row.probability ?? 0) : writeError(row.error),
            ...(contributions.length > 0 ? [<Words name={sayReasons(contributions, row, model)} />] : []),
            ...row.values.map((value) =>
              typeof value === 'number' ? ungrouped(value) : truncate(withoutMidnight(value ?? '')),
            ),
          ])}
          classOf={(column) => {
            if (column === 4 && contributions.length > 0) return 'reasons';
            return column > 0 && column < 4 ? 'chosen' : undefined;
          }}
        />
      </Scrolling>
      {rows.length > MAX_SHOWN && !isAll && (
        <button type="button" onClick={() => setAll(true)}>
          Show all {count(rows.length, 'row')}
        </button>
      )}
      {explained && (
        <WhyDialog
          title={`${placeName} ${placeOf(explained)}`}
          note={`Measured without this row, the prediction was ${text(explained.predicted)}. The model that answers has learnt from it.`}
          model={model}
          load={() => explainRow(project, model, valuesOf(explained, columns))}
          onClose={() => explain(undefined)}
        />
      )}
    </>
  );
}

/** Returns a moment at midnight as a day, as tables write it; any other text as it is. */
const withoutMidnight = (text: string) => text.replace(/T00:00:00\.000Z$/, '');

/** The most columns to speak of. */
const MAX_SAID = 3;

/** Says which columns, or the season, moved a prediction most, by names such as `price_contribution_carat`. */
function sayReasons(names: readonly string[], { contributions }: ErrorRow, model: Model): string {
  const [, ...added] = names.map((name, index) => ({
    name: name === `${model.target}_season` ? 'the season' : name.slice(`${model.target}_contribution_`.length),
    value: contributions[index] ?? 0,
  }));
  const most = added.sort((one, other) => Math.abs(other.value) - Math.abs(one.value)).slice(0, MAX_SAID);
  const largest = Math.abs(most[0]?.value ?? 0);
  const write = within(largest, targetUnit(model));
  const said = most.flatMap(({ name, value }) =>
    Math.abs(value) <= largest / 100 ? [] : [`${name} ${value > 0 ? 'adds' : 'takes off'} ${write(Math.abs(value))}`],
  );
  return said.join(', ');
}

const valuesOf = ({ values }: ErrorRow, columns: readonly string[]) =>
  Object.fromEntries(columns.flatMap((name, index) => (values[index] == null ? [] : [[name, values[index]]])));
