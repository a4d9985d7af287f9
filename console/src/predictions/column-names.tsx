import { whole } from '../ui/format.js';

const MAX_LISTED = 12;

/** The names of columns, of which some are listed. */
export function ColumnNames({ names }: { names: readonly string[] }) {
  return (
    <>
      {names.slice(0, MAX_LISTED).map((name, index) => (
        <>
          {index > 0 && ', '}
          <code key={name}>{name}</code>
        </>
      ))}
      {names.length > MAX_LISTED && ` and ${whole(names.length - MAX_LISTED)} more`}
    </>
  );
}

/** Columns of a file that the model does not know, each with the name that may be meant. */
export function UnknownColumns({
  columns,
}: {
  columns: readonly { readonly name: string; readonly nearest: string | null }[];
}) {
  return (
    <ul class="plain">
      {columns.slice(0, MAX_LISTED).map(({ name, nearest }) => (
        <li key={name}>
          <code>{name || '(no name)'}</code>
          {nearest !== null && (
            <>
              {' '}
              – if this is <code>{nearest}</code>, rename it in the file.
            </>
          )}
        </li>
      ))}
      {columns.length > MAX_LISTED && <li>and {whole(columns.length - MAX_LISTED)} more</li>}
    </ul>
  );
}
