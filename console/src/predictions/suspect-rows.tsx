import { truncate } from '../tables/table-preview.js';
import { count, whole } from '../ui/format.js';
import type { SuspectColumn } from './check-rows.js';

/** The most columns to list. */
const MAX_LISTED = 12;

/** The words of a warning about a column, by its kind. */
export const FOUND: Readonly<Record<SuspectColumn['kind'], string>> = {
  unreadable: 'texts that are not written as those of the training table, and count as missing',
  'out-of-range': 'numbers far outside the range of the training table',
  'new-category': 'categories that the training table does not have, or only in a few rows',
  'missing-known': 'no value',
  'no-column': 'no value',
  'unknown-name': 'a name that the model does not know',
};

/** Warns of values that are unlike the training table, with their rows, before a file is sent. */
export function SuspectRows({ columns, read }: { columns: readonly SuspectColumn[]; read: string }) {
  if (columns.length === 0) return null;
  return (
    <div class="notice warning">
      <p>
        <strong>Some values are unlike the training table.</strong> Their rows can be predicted, but the confidences may
        not hold for them. Found in {read}:
      </p>
      <ul>
        {columns.slice(0, MAX_LISTED).map(({ name, kind, rows, places, values }) => (
          <li key={name + kind}>
            <code>{truncate(name)}</code>: {FOUND[kind]}, in {count(rows, 'row')} (
            {places.length === 1 ? 'row' : 'rows'} {places.map(whole).join(', ')}
            {rows > places.length && ', …'}): {values.map((value) => `“${truncate(value)}”`).join(', ')}
          </li>
        ))}
        {columns.length > MAX_LISTED && <li>and {count(columns.length - MAX_LISTED, 'more column')}</li>}
      </ul>
    </div>
  );
}
