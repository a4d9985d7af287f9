import { useEffect, useState } from 'preact/hooks';
import { type ForecastModel, type PredictionRow, ProblemError } from 'roster-client';
import { BottomAxis, LeftAxis } from '../../plots/axes.js';
import { Band } from '../../plots/band.js';
import { Figure } from '../../plots/figure.js';
import { extent, linearScale } from '../../plots/scale.js';
import { ConfidenceChoices } from '../../predictions/confidence-choices.js';
import { roster } from '../../session/roster.js';
import { useLoaded } from '../../session/use-loaded.js';
import { TableWriter, withoutFormula } from '../../tables/write-records.js';
import { Field } from '../../ui/field.js';
import { count, exact, percent, tick, ungrouped } from '../../ui/format.js';
import { Loading } from '../../ui/loading.js';
import { seriesName, stepScale } from './forecast-quality.js';

/** The choices of a confidence. */
const CONFIDENCES = [0.5, 0.8, 0.9, 0.95];

/** A step of a forecast. */
interface Step {
  readonly moment: string;
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** The next steps of one series, with their intervals. */
export function Forecast({ project, model }: { project: string; model: ForecastModel }) {
  const { group_by: groupColumns, horizon, target } = model;
  const [groups, setGroups] = useState(() => firstSeries(model));
  const [confidence, setConfidence] = useState(0.9);
  const [steps, setSteps] = useState(horizon);
  const { loaded, reload } = useLoaded(
    (signal) => forecast(project, model, { groups, confidence, steps }, signal),
    [project, model.version, confidence, steps, ...groups],
  );
  return (
    <>
      <form onSubmit={(event) => event.preventDefault()}>
        <div class="fields">
          {groupColumns.map((name, index) => (
            <GroupField
              key={name}
              name={name}
              choices={choicesOf(model, index)}
              value={groups[index] ?? ''}
              onValue={(value) => setGroups(groups.with(index, value))}
            />
          ))}
          <Field label="Steps" hint={`At most ${horizon}`}>
            {(control) => (
              <input
                {...control}
                type="number"
                min="1"
                max={horizon}
                value={steps}
                onChange={({ currentTarget: input }) => {
                  const wanted = Math.round(input.valueAsNumber) || horizon;
                  const kept = Math.min(horizon, Math.max(1, wanted));
                  input.value = String(kept);
                  setSteps(kept);
                }}
              />
            )}
          </Field>
        </div>
        <ConfidenceChoices choices={CONFIDENCES} chosen={confidence} onChoose={setConfidence} />
      </form>
      <h2>The next values</h2>
      <Loading loaded={loaded} what="the forecast" retry={reload}>
        {({ answered, asked }) => (
          <>
            <Fan
              model={model}
              steps={answered}
              confidence={asked.confidence}
              groups={asked.groups}
            />
            <Download
              name={`${[model.name, ...asked.groups].join('-')}-forecast.csv`}
              head={[model.order_by, target, `${target}_min`, `${target}_max`]}
              steps={answered}
            />
          </>
        )}
      </Loading>
    </>
  );
}

/** Returns the group values of the series to begin with. */
function firstSeries(model: ForecastModel): readonly string[] {
  return model.group_by.map((_, index) => choicesOf(model, index)[0] ?? '');
}

/** Returns known values of a group column: those of the series that were forecast worst come first. */
function choicesOf({ group_by, columns, metrics }: ForecastModel, index: number): string[] {
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
  return (
    <Field label={name}>
      {(control) => (
        <>
          <input
            {...control}
            list={`${control.id}-choices`}
            value={value}
            onChange={(event) => onValue(event.currentTarget.value)}
          />
          <datalist id={`${control.id}-choices`}>
            {choices.map((choice) => (
              <option key={choice} value={choice} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}

function Fan({
  model: { target, order_by },
  steps,
  confidence,
  groups,
}: {
  model: ForecastModel;
  steps: readonly Step[];
  confidence: number;
  groups: readonly string[];
}) {
  if (steps.length === 0) return <p>The model has no forecast for this series.</p>;
  const [from, to] = [steps[0]?.moment, steps.at(-1)?.moment];
  return (
    <Figure
      title={groups.length > 0 ? `${target} of ${seriesName(groups)}` : target}
      description={`The next ${count(steps.length, 'step')}, from ${from} to ${to}. The actual values should be within the band with ${percent(confidence)} confidence.`}
      table={{
        head: [order_by, target, 'Interval from', 'Interval to'],
        rows: steps.map(({ moment, value, low, high }) => [
          moment,
          exact(value),
          exact(low),
          exact(high),
        ]),
      }}
      height={340}
    >
      {(area) => {
        const x = stepScale(steps.length, [area.left, area.right]);
        const y = linearScale(
          extent(
            steps.flatMap(({ low, high }) => [low, high]),
            0.04,
          ),
          [area.bottom, area.top],
        );
        const points = steps.map(({ value, low, high }, index) => ({
          x: x(index + 1),
          y: y(value),
          low: y(low),
          high: y(high),
        }));
        return (
          <>
            <LeftAxis scale={y} area={area} label={target} format={tick} />
            <BottomAxis scale={x} area={area} label="Steps ahead" format={String} />
            <Band points={points} />
            {points.length === 1 &&
              points.map((point) => (
                <g key={point.x}>
                  <line class="range" x1={point.x} x2={point.x} y1={point.low} y2={point.high} />
                  <circle class="mark" cx={point.x} cy={point.y} r="5" />
                </g>
              ))}
          </>
        );
      }}
    </Figure>
  );
}

function Download({
  name,
  head,
  steps,
}: {
  name: string;
  head: readonly string[];
  steps: readonly Step[];
}) {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const writer = new TableWriter({ delimiter: ',', newline: '\n' });
    writer.add([head.map(withoutFormula)]);
    writer.add(
      steps.map(({ moment, value, low, high }) => [
        withoutFormula(moment),
        `${value}`,
        `${low}`,
        `${high}`,
      ]),
    );
    const created = URL.createObjectURL(writer.toBlob());
    setAddress(created);
    return () => URL.revokeObjectURL(created);
  }, [steps]);
  if (address === undefined) return null;
  return (
    <p>
      <a class="button" href={address} download={name}>
        Download {name}
      </a>
    </p>
  );
}

interface Asked {
  readonly groups: readonly string[];
  readonly confidence: number;
  readonly steps: number;
}

/** @throws ProblemError if the service refuses, as for a series that it does not know */
async function forecast(
  project: string,
  model: ForecastModel,
  asked: Asked,
  signal: AbortSignal,
): Promise<{ readonly answered: readonly Step[]; readonly asked: Asked }> {
  const { group_by, order_by, target } = model;
  const { groups, confidence, steps } = asked;
  const series = Object.fromEntries(group_by.map((name, index) => [name, groups[index] ?? '']));
  const { data, error, response } = await roster.POST(
    '/api/projects/{projectName}/models/{modelName}/predict',
    {
      params: {
        path: { projectName: project, modelName: model.name },
        query: { confidence, steps },
      },
      body: group_by.length > 0 ? [series] : [],
      signal,
    },
  );
  if (error !== undefined) throw new ProblemError(error, response);
  const rows: readonly PredictionRow[] = data;
  const answered = rows.map((row) => ({
    moment: momentText(row[order_by]),
    value: Number(row[target]),
    low: Number(row[`${target}_min`]),
    high: Number(row[`${target}_max`]),
  }));
  return { answered, asked };
}

const momentText = (moment: unknown) =>
  typeof moment === 'number' ? ungrouped(moment) : String(moment);
