import { useState } from 'preact/hooks';
import type { Model } from 'roster-client';
import { type CsvHead, readCsvHead } from '../tables/table-head.js';
import { CSV_TYPES } from '../tables/table-types.js';
import { DEMO, loadDemoTable } from '../training/demo.js';
import { DropZone } from '../ui/drop-zone.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { count } from '../ui/format.js';
import { PredictTable } from './predict-table.js';

/** Predicts all rows of a file that is chosen, and gives it back with the predictions. */
export function PredictFile({ project, model }: { project: string; model: Model }) {
  const [head, setHead] = useState<CsvHead>();
  const [error, setError] = useState<unknown>(null);
  const read = async (find: () => Promise<File>) => {
    setError(null);
    try {
      setHead(await readCsvHead(await find()));
    } catch (reason) {
      setError(reason);
    }
  };
  if (head !== undefined) {
    return (
      <PredictTable project={project} model={model} head={head} forget={() => setHead(undefined)} />
    );
  }
  const isDemo = model.name === DEMO.name && model.target === DEMO.target;
  return (
    <>
      <p>
        Choose a CSV file with the model’s columns. You get the same file back, with a prediction of{' '}
        {model.target} in each row. First, its columns are compared with the model’s. Nothing is
        sent until you start.
      </p>
      {error !== null && <ErrorNotice error={error} />}
      <DropZone
        label="Drop a CSV file here, or"
        accept={CSV_TYPES}
        onFile={(file) => read(async () => file)}
      />
      {isDemo && (
        <p class="actions">
          No file at hand?
          <button type="button" onClick={() => read(() => loadDemoTable(DEMO.moreRows))}>
            Use {count(DEMO.moreRowCount, 'other diamond')}
          </button>
        </p>
      )}
    </>
  );
}
