import { useState } from 'preact/hooks';
import { type CsvHead, readCsvHead } from '../tables/table-head.js';
import { truncate } from '../tables/table-preview.js';
import { Field } from '../ui/field.js';

/** The choice of the line that has the names of the columns. */
export function HeaderLineField({
  head: { file, format, firstLines },
  onHead,
  isBusy,
}: {
  head: CsvHead;
  onHead: (head: CsvHead) => void;
  isBusy: boolean;
}) {
  const [error, setError] = useState<string>();
  const { headerLine } = format;
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
      hint={headerLine > 1 && 'The lines above are left out.'}
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
