import { useState } from 'preact/hooks';
import { SelectField } from '../ui/select.js';
import { askHead } from './any-head.js';
import type { TableHead, WorkbookPlace } from './table-head.js';
import { truncate } from './table-preview.js';

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
  if (workbook === undefined) return null;
  const { sheets, place, firstLines, fault } = workbook;
  const lines = new Map([
    [String(place.header_line), ''],
    ...firstLines.map(({ line, text }) => [String(line), text] as const),
  ]);
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
      <SelectField
        label="Names of the columns"
        error={error ?? fault ?? undefined}
        value={String(place.header_line)}
        options={[...lines].map(([line, text]) => [line, `Row ${line}${text && `: ${truncate(text)}`}`])}
        disabled={isBusy}
        onChoose={(line) => read({ ...place, header_line: Number(line) })}
      />
    </>
  );
}
