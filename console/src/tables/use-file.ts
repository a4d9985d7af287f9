import { useState } from 'preact/hooks';
import { useAttempt } from '../session/use-attempt.js';
import { readHead } from './any-head.js';
import type { TableHead } from './table-head.js';

/**
 * The file that was chosen last. The beginning of one that was chosen before it, and arrives later, is not shown.
 * @param before the beginning of a file that is shown until one is chosen
 */
export function useFile(project: string, before?: TableHead) {
  const [head, setHead] = useState(before);
  const { isBusy, error, attempt } = useAttempt();
  return {
    /** Its beginning; undefined until it was read. */
    head,
    setHead,
    isReading: isBusy,
    error,
    read: (file: File | Promise<File>) =>
      attempt(async (isNewest) => {
        const read = await readHead(project, await file);
        if (isNewest()) setHead(read);
      }),
    forget: () => setHead(undefined),
  };
}
