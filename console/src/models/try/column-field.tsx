import { useId } from 'preact/hooks';
import type { Column, RowWarning } from 'roster-client';
import { Words } from '../../plots/words.js';
import { FOUND } from '../../predictions/suspect-rows.js';
import { Field, Proposals } from '../../ui/field.js';
import { capitalized, date, labelWithUnit, ungrouped } from '../../ui/format.js';
import { Select } from '../../ui/select.js';
import { readUnit } from '../../ui/units.js';
import { chooseStep, dateText, instant } from './row.js';

/** The most categories to choose from a list; of more, one is typed. */
const MAX_OPTIONS = 50;

/** The control for the value of a column, which may be empty. */
export function ColumnField({
  column,
  value,
  warning,
  onValue,
}: {
  column: Column;
  value: string;
  warning: RowWarning | undefined;
  onValue: (value: string) => void;
}) {
  const list = useId();
  const { name, kind, min, max, categories } = column;
  const input = (event: { currentTarget: HTMLInputElement }) => onValue(event.currentTarget.value);
  const options = categories ?? [];
  const isChoice = kind === 'category' && options.length <= MAX_OPTIONS;
  // A category that the model does not know, from an address, stays as it is.
  const isOther = isChoice && value !== '' && !options.includes(value);
  return (
    <Field
      label={<Words name={labelWithUnit(name, readUnit(column.reading))} />}
      hint={writeHint(column)}
      error={warning && `${capitalized(FOUND[warning.kind])}.`}
    >
      {(control) =>
        isChoice ? (
          <Select
            {...control}
            value={value}
            options={[['', '(no value)'], ...(isOther ? [value] : []), ...options]}
            onChoose={onValue}
          />
        ) : kind === 'category' ? (
          <>
            <input {...control} list={list} value={value} onInput={input} />
            <Proposals id={list} values={options} />
          </>
        ) : kind === 'date' ? (
          <input
            {...control}
            type="date"
            min={dateText(instant(min))}
            max={dateText(instant(max))}
            value={value}
            onInput={input}
          />
        ) : (
          <span class="with-slider">
            <input {...control} type="number" step="any" value={value} onInput={input} />
            <input
              type="range"
              aria-label={`${name}, slider`}
              min={min ?? undefined}
              max={max ?? undefined}
              step={chooseStep(column) / 10}
              value={value === '' ? String((Number(min) + Number(max)) / 2) : value}
              onInput={input}
            />
          </span>
        )
      }
    </Field>
  );
}

function writeHint({ kind, min, max, reading }: Column): string | undefined {
  if (min === null || max === null) return undefined;
  if (kind === 'date') return `${date(instant(min))} to ${date(instant(max))}`;
  const text = (value: string | number) => ungrouped(Number(value), readUnit(reading));
  return `${text(min)} to ${text(max)}`;
}
