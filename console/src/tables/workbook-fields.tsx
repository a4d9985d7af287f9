import { SelectField } from '../ui/select.js';
import { reasonOf } from './header-line-field.js';
import type { TableHead } from './table-head.js';
import { truncate } from './table-preview.js';
import type { ChosenPlace } from './use-place.js';

/** The choice of the sheet of a workbook, and of its row that has the names of the columns. */
export function WorkbookFields({
  head: { workbook },
  chosen: { place: chosen, isReading, error, read },
  isBusy,
}: {
  head: TableHead;
  chosen: ChosenPlace;
  isBusy: boolean;
}) {
  if (workbook === undefined) return null;
  const { sheets, place: shown, firstLines, fault } = workbook;
  const place = (isReading && chosen) || shown;
  // Its rows are not here yet.
  const isOtherSheet = place.sheet !== shown.sheet;
  const line = String(place.header_line ?? shown.header_line);
  const lines = new Map([[line, ''], ...firstLines.map(({ line, text }) => [String(line), text] as const)]);
  return (
    <>
      <SelectField
        label="Sheet"
        hint={isOtherSheet && 'Reading the sheet …'}
        value={place.sheet ?? ''}
        options={sheets}
        disabled={isBusy}
        onChoose={(sheet) => read({ sheet })}
      />
      <SelectField
        label="Names of the columns"
        error={error === null ? (fault ?? undefined) : reasonOf(error)}
        value={line}
        options={[...lines]
          .sort(([one], [other]) => Number(one) - Number(other))
          .map(([line, text]) => [line, `Row ${line}${text && `: ${truncate(text)}`}`])}
        disabled={isBusy || isOtherSheet}
        onChoose={(line) => read({ ...place, header_line: Number(line) })}
      />
    </>
  );
}
