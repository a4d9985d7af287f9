import { useEffect, useState } from 'preact/hooks';
import type { Preview, PreviewMarks } from '../tables/preview.js';
import { readPreview } from '../tables/request-preview.js';
import type { TableHead } from '../tables/table-head.js';

/** The words of the service about a table, as far as they are there. */
export interface PreviewState {
  /** Those of the last reading; undefined before the first. */
  readonly preview: Preview | undefined;
  readonly isReading: boolean;
  /** The refusal of the table, or a lost connection; null without one. */
  readonly error: unknown;
}

/** The bytes above which a file that must be whole is not sent again for the sake of the target alone. */
const MAX_SENT_AGAIN = 32 << 20;

/** Lets the service read the beginning of a table, again whenever its place in the file or its marks change. */
export function usePreview(project: string, head: TableHead, marks: PreviewMarks): PreviewState {
  const wanted = JSON.stringify(marks);
  const begin = { head, wanted, preview: head.preview, isReading: true, error: null };
  const [state, setState] = useState<PreviewState & { head: TableHead; wanted: string }>(begin);
  useEffect(() => {
    const isOnlyTarget = Object.keys(marks).every((name) => name === 'target');
    if (head.preview && isOnlyTarget && head.file.size > MAX_SENT_AGAIN) {
      setState({ ...begin, isReading: false });
      return;
    }
    const aborter = new AbortController();
    setState((last) => ({ ...begin, ...(last.head === head && { preview: last.preview }) }));
    readPreview(project, head, marks, aborter.signal).then(
      (preview) => !aborter.signal.aborted && setState({ ...begin, preview, isReading: false }),
      (error: unknown) =>
        !aborter.signal.aborted && setState({ ...begin, preview: undefined, isReading: false, error }),
    );
    return () => aborter.abort();
  }, [project, head, wanted]);
  // The words about a table that was read at another place of its file are not those about this one.
  return state.head === head ? { ...state, isReading: state.isReading || state.wanted !== wanted } : begin;
}
