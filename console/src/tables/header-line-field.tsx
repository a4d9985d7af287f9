import { useState } from 'preact/hooks';
import { parseNumber } from 'roster-prediction/browser';
import { Field } from '../ui/field.js';
import { type CsvHead, readCsvHead } from './table-head.js';
import { truncate } from './table-preview.js';

/** The choice of the line that has the names of the columns. */
export function HeaderLineField({
  head: { file, format, firstLines, columns },
  onHead,
  isBusy,
}: {
  head: CsvHead;
  onHead: (head: CsvHead) => void;
  isBusy: boolean;
}) {
  const [error, setError] = useState<string>();
  const { headerLine } = format;
  const values = columns.filter((name) => !Number.isNaN(parseNumber(name)));
  const areValues = 2 * values.length > columns.length;
  const choose = async (line: number) => {
    try {
      onHead(await readCsvHead(file, line));
      setError(undefined);
    } catch (reason) {
      setError(`Line ${line}: ${reason instanceof Error ? reason.message : reason}`);
    }
  };
  return (
    <Field
      label="Names of the columns"
      hint={
        areValues
          ? 'These look like values. Choose the line that has the names.'
          : headerLine > 1 && 'The lines above are left out.'
      }
      error={error}
    >
      {(control) => (
        <select
          {...control}
          value={headerLine}
          disabled={isBusy}
          onChange={({ currentTarget: select }) => {
            const line = Number(select.value);
            select.value = String(headerLine);
            void choose(line);
          }}
        >
          {firstLines.map((line, index) => (
            <option key={index} value={index + 1}>
              {`Line ${index + 1}: ${truncate(line.replaceAll('\t', ' ')) || '(blank)'}`}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
