import { useState } from 'preact/hooks';
import { useAttempt } from '../session/use-attempt.js';
import { askHead } from './any-head.js';
import { isCsv, readCsvHead, type TableHead, type WorkbookPlace } from './table-head.js';

/** The place of a table in its file that was chosen last, which may not have been read yet. */
export interface ChosenPlace {
  /** Undefined until one is chosen. */
  readonly place: WorkbookPlace | undefined;
  /** True until it is read: what the page has of the table is that of another place. */
  readonly isReading: boolean;
  /** The reason why it cannot be read; null if it can. */
  readonly error: unknown;
  read(place: WorkbookPlace): void;
}

/** Reads a table at another place of its file. The place that was chosen last counts, in whichever order they arrive. */
export function usePlace(project: string, head: TableHead, onHead: (head: TableHead) => void): ChosenPlace {
  const [place, setPlace] = useState<WorkbookPlace>();
  const { isBusy, error, attempt } = useAttempt();
  const { file, type } = head;
  const read = (next: WorkbookPlace) => {
    setPlace(next);
    void attempt(async (isNewest) => {
      const found = await (isCsv(head) ? readCsvHead(file, next.header_line) : askHead(project, file, type, next));
      if (isNewest()) onHead(found);
    });
  };
  return { place, isReading: isBusy, error, read };
}
