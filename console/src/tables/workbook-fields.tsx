import { useId, useState } from 'preact/hooks';
import { Field } from '../ui/field.js';
import { SelectField } from '../ui/select.js';
import { askHead } from './any-head.js';
import type { TableHead, WorkbookPlace } from './table-head.js';

/** The choice of the sheet of a workbook, and of its row that has the names of the columns. */
export function WorkbookFields({
  project,
  head: { file, type, workbook },
  onHead,
  isBusy,
}: {
  project: string;
  head: TableHead;
  onHead: (head: TableHead) => void;
  isBusy: boolean;
}) {
  const [error, setError] = useState<string>();
  const rows = useId();
  if (workbook === undefined) return null;
  const { sheets, place, firstLines, fault } = workbook;
  const read = async (chosen: WorkbookPlace) => {
    try {
      onHead(await askHead(project, file, type, chosen));
      setError(undefined);
    } catch (reason) {
      setError(String(reason));
    }
  };
  return (
    <>
      <SelectField
        label="Sheet"
        value={place.sheet ?? ''}
        options={sheets}
        disabled={isBusy}
        onChoose={(sheet) => read({ sheet })}
      />
      <Field label="Row with the names of the columns" error={error ?? fault ?? undefined}>
        {(control) => (
          <>
            <input
              {...control}
              type="number"
              min={1}
              list={rows}
              value={place.header_line}
              disabled={isBusy}
              onChange={({ currentTarget: { value } }) => read({ ...place, header_line: Math.max(1, Number(value)) })}
            />
            <datalist id={rows}>
              {firstLines.map(({ line, text }) => (
                <option key={line} value={line} label={`Row ${line}: ${text}`} />
              ))}
            </datalist>
          </>
        )}
      </Field>
    </>
  );
}
