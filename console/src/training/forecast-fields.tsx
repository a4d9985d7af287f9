import { useState } from 'preact/hooks';
import type { ForecastModel } from 'roster-client';
import type { ColumnProfile } from '../tables/column-profile.js';
import { CountField, TextField } from '../ui/field.js';
import { SelectField } from '../ui/select.js';
import type { TrainingRequest } from './send-table.js';

/** The columns of the series, and the number of steps to forecast. */
export type Series = NonNullable<TrainingRequest['series']>;

/** The number of steps to forecast, until another is chosen. */
const START_HORIZON = 12;
const MAX_HORIZON = 1000;

/** The most columns to tick that are shown without a click: each is a stop of the keyboard. */
const MAX_OPEN = 8;

/**
 * Returns the series to begin with: those of the existing model, or else the first column of dates
 * as the order and nothing that distinguishes series.
 */
export function guessSeries(
  profiles: readonly ColumnProfile[],
  target: string,
  existing: ForecastModel | undefined,
): Series {
  const names = profiles.map(({ name }) => name);
  const others = profiles.filter(({ name }) => name !== target);
  const date = others.find(({ kind }) => kind === 'date') ?? others[0];
  const order = existing && names.includes(existing.order_by) ? existing.order_by : date?.name;
  const isInTable = (name: string) => names.includes(name);
  return {
    order_by: order ?? '',
    group_by: existing?.group_by.filter(isInTable) ?? [],
    known: existing?.known.filter(isInTable) ?? [],
    holidays: existing?.holidays ?? [],
    horizon: existing?.horizon ?? START_HORIZON,
  };
}

/** The controls of a forecast: the order, the columns that distinguish series, the holidays, and the horizon. */
export function ForecastFields({
  profiles,
  target,
  series,
  onSeries,
}: {
  profiles: readonly ColumnProfile[];
  target: string;
  series: Series;
  onSeries: (series: Series) => void;
}) {
  const { order_by, group_by, known, horizon } = series;
  const inputs = profiles.map(({ name }) => name).filter((name) => name !== target);
  const others = inputs.filter((name) => name !== order_by);
  const [codes, setCodes] = useState(series.holidays.join(', '));
  return (
    <>
      <SelectField
        label="Column of time"
        hint="It holds dates, times, or numbers such as years."
        value={order_by}
        options={inputs.map((name) => [name, name || '(no name)'])}
        onChoose={(value) =>
          onSeries({
            ...series,
            order_by: value,
            group_by: group_by.filter((name) => name !== value),
            known: known.filter((name) => name !== value),
          })
        }
      />
      <ColumnChoices
        legend="One series for each value of"
        columns={others}
        chosen={group_by}
        onChosen={(chosen) =>
          onSeries({ ...series, group_by: chosen, known: known.filter((name) => !chosen.includes(name)) })
        }
      />
      <ColumnChoices
        legend="Known ahead, such as holidays"
        columns={others.filter((name) => !group_by.includes(name))}
        chosen={known}
        onChosen={(chosen) => onSeries({ ...series, known: chosen })}
      />
      <TextField
        isOptional
        label="Public holidays"
        hint="Codes of countries and regions, such as DE or US-LA."
        value={codes}
        onValue={(text) => {
          setCodes(text);
          onSeries({ ...series, holidays: text.match(/[\w-]+/g) ?? [] });
        }}
      />
      <CountField
        label="Steps to forecast"
        hint="How many hours, days or months ahead, for example."
        value={horizon}
        max={MAX_HORIZON}
        otherwise={START_HORIZON}
        onValue={(steps) => onSeries({ ...series, horizon: steps })}
      />
    </>
  );
}

/** Columns to tick, any number of them. */
function ColumnChoices({
  legend,
  columns,
  chosen,
  onChosen,
}: {
  legend: string;
  columns: readonly string[];
  chosen: readonly string[];
  onChosen: (chosen: string[]) => void;
}) {
  if (columns.length === 0) return null;
  const boxes = (
    <fieldset class="choices">
      <legend>{legend}</legend>
      {columns.map((name) => (
        <label key={name}>
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={({ currentTarget: { checked } }) =>
              onChosen(checked ? [...chosen, name] : chosen.filter((other) => other !== name))
            }
          />
          {name || '(no name)'}
        </label>
      ))}
    </fieldset>
  );
  if (columns.length <= MAX_OPEN) return boxes;
  return (
    <details class="reading">
      <summary>
        {legend}: {chosen.length > 0 ? chosen.join(', ') : 'none'}
      </summary>
      {boxes}
    </details>
  );
}
