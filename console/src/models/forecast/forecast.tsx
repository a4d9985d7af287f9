import { useState } from 'preact/hooks';
import type { ForecastModel } from 'roster-client';
import { Choices } from '../../predictions/confidence-choices.js';
import { Why } from '../../predictions/why.js';
import { useQueryParameter } from '../../router/query-parameter.js';
import { useAttempt } from '../../session/use-attempt.js';
import { useLoaded } from '../../session/use-loaded.js';
import { ErrorNotice } from '../../ui/error-notice.js';
import { CountField, Field, Proposals, useDraft } from '../../ui/field.js';
import { count, percent, whole } from '../../ui/format.js';
import { Loading } from '../../ui/loading.js';
import { saveFile } from '../../ui/save-file.js';
import { useSettled } from '../../ui/use-settled.js';
import { ForecastFigure } from './forecast-figure.js';
import { SERIES } from './forecast-quality.js';
import { KnownAhead } from './known-ahead.js';
import {
  type AheadRow,
  type Asked,
  type History,
  loadForecast,
  loadForecastFile,
  loadHistory,
  type Step,
} from './load-forecast.js';

/** The choices of a confidence. */
const CONFIDENCES = [0.5, 0.8, 0.9, 0.95];

/** The forecast of one series: of its next steps, or of its last ones. */
export function Forecast({ project, model }: { project: string; model: ForecastModel }) {
  const { group_by: groupColumns, horizon } = model;
  const [series, setSeries] = useQueryParameter(SERIES);
  const groups = parseSeries(series, groupColumns.length) ?? firstSeries(model);
  const [confidence, setConfidence] = useState(0.9);
  const [steps, setSteps] = useState(horizon);
  const [wantedBack, setBack] = useState(0);
  const back = useSettled(wantedBack);
  const [known, setKnown] = useState<{ of: string; rows: readonly AheadRow[] }>();
  const aheadOf = (forecast: Steps) => (known?.of === stepsKey(forecast) ? known.rows : []);
  const ahead = aheadOf({ groups, steps, back });
  const settled = useSettled(JSON.stringify(ahead));
  const { loaded, reload } = useLoaded(
    (signal) => loadForecast(project, model, { groups, confidence, steps, back, ahead }, signal),
    [project, model.version, confidence, steps, back, settled, ...groups],
  );
  const { loaded: history } = useLoaded(
    (signal) => loadHistory(project, model, groups, signal),
    [project, model.version, ...groups],
  );
  // Where the history cannot be loaded, neither can the forecast, which says why.
  const historyOf = (asked: Asked) =>
    history.state === 'ready' && isSameSeries(history.value, asked) ? history.value.steps : [];
  return (
    <>
      <form>
        <div class="fields">
          {groupColumns.map((name, index) => (
            <GroupField
              key={name}
              name={name}
              choices={listChoices(model, index)}
              value={groups[index] ?? ''}
              onValue={(value) => setSeries(JSON.stringify(groups.with(index, value)))}
            />
          ))}
          <CountField
            label="Steps"
            hint={`At most ${whole(horizon)}`}
            value={steps}
            max={horizon}
            otherwise={horizon}
            onValue={setSteps}
          />
          <Field label="Go back" hint={wantedBack === 0 ? 'From the last value' : count(wantedBack, 'step')}>
            {(control) => (
              <input
                {...control}
                type="range"
                min="0"
                max={horizon}
                value={wantedBack}
                onInput={({ currentTarget: input }) => setBack(input.valueAsNumber)}
              />
            )}
          </Field>
        </div>
        <Choices choices={CONFIDENCES} chosen={confidence} onChoose={setConfidence} nameOf={percent} />
      </form>
      <h2>{back === 0 ? 'The next values' : 'A forecast of known values'}</h2>
      <Loading loaded={loaded} what="the forecast" retry={reload}>
        {(shown) => (
          <>
            {model.known.length > 0 && back === 0 && (
              <KnownAhead
                model={model}
                groups={groups}
                steps={shown.steps}
                rows={aheadOf(shown.asked)}
                onRows={(rows) => setKnown({ of: stepsKey(shown.asked), rows })}
              />
            )}
            <ForecastFigure model={model} forecast={shown} history={historyOf(shown.asked)} />
            <Reasons model={model} steps={shown.steps} />
            <Downloads project={project} model={model} asked={shown.asked} />
          </>
        )}
      </Loading>
    </>
  );
}

type Steps = Pick<Asked, 'groups' | 'steps' | 'back'>;

/** Identifies a forecast: values known ahead of its steps do not belong to those of another. */
const stepsKey = ({ groups, steps, back }: Steps) => JSON.stringify([groups, steps, back]);

/** Draws what a step of the forecast is made of. */
function Reasons({ model, steps }: { model: ForecastModel; steps: readonly Step[] }) {
  const [wanted, choose] = useState(0);
  const chosen = Math.min(wanted, steps.length - 1);
  const { moment, reasons } = steps[chosen] ?? {};
  if (reasons === undefined) return null;
  return (
    <section>
      <h2>Why</h2>
      {steps.length > 1 && (
        <Field label="Step" hint={moment ?? ''}>
          {(control) => (
            <input
              {...control}
              type="range"
              min="0"
              max={steps.length - 1}
              value={chosen}
              aria-valuetext={moment}
              onInput={({ currentTarget: input }) => choose(input.valueAsNumber)}
            />
          )}
        </Field>
      )}
      <Why model={model} contributions={reasons} />
    </section>
  );
}

/** While another series is loaded, the history and the forecast may be of two. */
const isSameSeries = (history: History, asked: Asked) =>
  JSON.stringify(history.groups) === JSON.stringify(asked.groups);

/** Reads the series of an address, which anyone may have typed. */
function parseSeries(text: string, count: number): readonly string[] | undefined {
  try {
    const groups: unknown = JSON.parse(text);
    const isSeries =
      Array.isArray(groups) && groups.length === count && groups.every((value) => typeof value === 'string');
    return isSeries ? groups : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the group values of the series to begin with. */
function firstSeries(model: ForecastModel): readonly string[] {
  return model.group_by.map((_, index) => listChoices(model, index)[0] ?? '');
}

/** Returns known values of a group column: those of the series that were forecast worst come first. */
function listChoices({ group_by, columns, metrics }: ForecastModel, index: number): string[] {
  const worst = metrics?.worst_series.flatMap(({ groups }) => groups[index] ?? []) ?? [];
  const column = columns?.find(({ name }) => name === group_by[index]);
  return [...new Set([...worst, ...(column?.categories ?? [])])];
}

function GroupField({
  name,
  choices,
  value,
  onValue,
}: {
  name: string;
  choices: readonly string[];
  value: string;
  onValue: (value: string) => void;
}) {
  const draft = useDraft(value, onValue);
  return (
    <Field label={name}>
      {(control) => (
        <>
          <input {...control} list={`${control.id}-choices`} {...draft} />
          <Proposals id={`${control.id}-choices`} values={choices} />
        </>
      )}
    </Field>
  );
}

/** Saves the forecast of the series, and that of all series, as the service writes it in CSV. */
function Downloads({ project, model, asked }: { project: string; model: ForecastModel; asked: Asked }) {
  const { isBusy, error, attempt } = useAttempt();
  const save = (name: string, part: Asked) =>
    attempt(async () => saveFile(await loadForecastFile(project, model, part), name));
  const own = `${[model.name, ...asked.groups].join('-')}-forecast.csv`;
  const all = `${model.name}-forecasts.csv`;
  return (
    <>
      {error !== null && <ErrorNotice error={error} />}
      <p class="actions">
        <button type="button" disabled={isBusy} onClick={() => save(own, asked)}>
          Download {own}
        </button>
        {asked.groups.length > 0 && (
          <button type="button" disabled={isBusy} onClick={() => save(all, { ...asked, groups: [], ahead: [] })}>
            Download all {whole(model.series.count)} series
          </button>
        )}
      </p>
    </>
  );
}
