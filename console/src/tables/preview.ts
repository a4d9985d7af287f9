import type { components, operations } from 'roster-client';

/** The answer to a preview, and whether the table was cut within a line. */
export type PreviewAnswer = components['schemas']['TablePreview'] & { readonly isCut: boolean };

/** The parameters of a preview. */
export type PreviewQuery = NonNullable<operations['previewTable']['parameters']['query']>;

/** The choices about texts that a preview reads by, as its parameters. */
export type PreviewMarks = Omit<PreviewQuery, 'header' | 'header_line' | 'delimiter' | 'sheet'>;

/** A column as the service reads its first rows. */
export type ColumnNote = PreviewAnswer['columns'][number];

/** The words of the service about the first rows of a table. */
export interface Preview {
  /** The columns by name. */
  readonly columns: ReadonlyMap<string, ColumnNote>;
  /** The columns without a name and without values, which are left out. */
  readonly unnamedColumns: number;
  readonly rowsRead: number;
  readonly findings: PreviewAnswer['findings'];
  /** The fault that ended the reading; null without one. */
  readonly fault: string | null;
}

/** Returns what the service says of the columns of a table. */
export function toPreview({ columns, unnamed_columns, rows_read, findings, fault, isCut }: PreviewAnswer): Preview {
  return {
    // If two columns have one name, this takes the first; a training refuses both.
    columns: new Map(columns.map((column) => [column.name, column] as const).toReversed()),
    unnamedColumns: unnamed_columns,
    rowsRead: rows_read,
    findings,
    fault: isCut ? null : fault,
  };
}
