import { useLayoutEffect, useRef } from 'preact/hooks';
import { bytes, count } from '../ui/format.js';
import type { TableHead } from './table-head.js';

/** A file that was chosen, which gets the focus, with the button that chooses another. */
export function FileLine({
  head: { file, columns, rows, isWhole },
  forget,
  isBusy,
}: {
  head: TableHead;
  forget: () => void;
  isBusy: boolean;
}) {
  const line = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => line.current?.focus(), []);
  return (
    <div class="file-line">
      <p ref={line} tabIndex={-1}>
        <strong>{file.name}</strong> {bytes(file.size)}
        {columns.length > 0 && ` · ${count(columns.length, 'column')}`}
        {isWhole && ` · ${count(rows.length, 'row')}`}
      </p>
      <button type="button" onClick={forget} disabled={isBusy}>
        Choose another file
      </button>
    </div>
  );
}
