import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Scrolling, Table } from '../plots/table.js';
import { Words } from '../plots/words.js';
import type { ColumnProfile } from './column-profile.js';
import { describeColumn, describeMissing, describeReading } from './column-words.js';
import type { TableRecord } from './read-records.js';

const MAX_ROWS = 5;
const MAX_CELL_CHARACTERS = 60;

/** The first rows of a table, with what each column looks like and what the service found in it. */
export function TablePreview({
  profiles,
  rows,
  target,
  faults,
  control,
}: {
  profiles: readonly ColumnProfile[];
  rows: readonly TableRecord[];
  target: string;
  /** The faults of columns, by name; that of the target is shown elsewhere. */
  faults: ReadonlyMap<string, string>;
  /** Returns what chooses the use of a column, and whether it is left out. */
  control: (column: number) => { readonly control: ComponentChildren; readonly isLeftOut: boolean };
}) {
  const controls = profiles.map((_, column) => control(column));
  const classOf = (column: number) =>
    profiles[column]?.name === target ? 'chosen' : controls[column]?.isLeftOut ? 'left-out' : undefined;
  const section = useRef<HTMLElement>(null);
  const shown = profiles.findIndex(({ name }) => name === target || faults.has(name));
  useEffect(() => {
    const cell = section.current?.querySelectorAll('th')[shown];
    if (cell) section.current?.scrollTo({ left: cell.offsetLeft - cell.offsetWidth });
  }, [shown]);
  return (
    <Scrolling isPreview element={section} label="The first rows of the table">
      <Table
        head={profiles.map((profile, index) => (
          <>
            <span class="column-name">
              <Words name={truncate(profile.name) || '(no name)'} />
            </span>
            <span class="column-kind">{describeColumn(profile)}</span>
            <span class="column-kind">{describeReading(profile)}</span>
            <span class="column-kind">{describeMissing(profile)}</span>
            {profile.name !== target && controls[index]?.control}
            {profile.name !== target && faults.has(profile.name) && (
              <span class="field-error">{faults.get(profile.name)}</span>
            )}
          </>
        ))}
        rows={rows.slice(0, MAX_ROWS).map((row) => profiles.map(({ index }) => truncate(row[index] ?? '')))}
        classOf={classOf}
      />
    </Scrolling>
  );
}

/** Returns the beginning of a long text. */
export function truncate(text: string): string {
  return text.length > MAX_CELL_CHARACTERS ? `${text.slice(0, MAX_CELL_CHARACTERS)} …` : text;
}
