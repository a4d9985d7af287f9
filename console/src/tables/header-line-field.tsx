import { parseNumber } from 'roster-prediction/browser';
import { SelectField } from '../ui/select.js';
import type { CsvHead } from './table-head.js';
import { truncate } from './table-preview.js';
import type { ChosenPlace } from './use-place.js';

/** The choice of the line that has the names of the columns. */
export function HeaderLineField({
  head: { format, firstLines, columns },
  chosen: { place, isReading, error, read },
  isBusy,
}: {
  head: CsvHead;
  chosen: ChosenPlace;
  isBusy: boolean;
}) {
  const { headerLine } = format;
  const values = columns.filter((name) => !Number.isNaN(parseNumber(name)));
  const areValues = 2 * values.length > columns.length;
  return (
    <SelectField
      label="Names of the columns"
      hint={
        areValues
          ? 'These look like values. Choose the line that has the names.'
          : headerLine > 1 && 'The lines above are left out.'
      }
      error={error === null ? undefined : `Line ${place?.header_line}: ${reasonOf(error)}`}
      value={String((isReading && place?.header_line) || headerLine)}
      options={firstLines.map((line, index) => [
        String(index + 1),
        `Line ${index + 1}: ${truncate(line.replaceAll('\t', ' ')) || '(blank)'}`,
      ])}
      disabled={isBusy}
      onChoose={(line) => read({ header_line: Number(line) })}
    />
  );
}

/** Returns the words of an error. */
export const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
