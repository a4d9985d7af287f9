import type { Model } from 'roster-client';
import { type KeptPrediction, PredictTable } from '../predictions/predict-table.js';
import { href } from '../router/route.js';
import { TABLE_TYPES } from '../tables/table-types.js';
import { useFile } from '../tables/use-file.js';
import { DEMO, loadDemoTable } from '../training/demo.js';
import { DropZone } from '../ui/drop-zone.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { count } from '../ui/format.js';
import { ModelFrame } from './model-frame.js';

export function PredictFileView({ project, model }: { project: string; model: string }) {
  return (
    <ModelFrame project={project} model={model} tab="predict">
      {(shown) =>
        shown.task === 'forecast' ? (
          <p>
            A forecast continues the series of the table.{' '}
            <a href={href(['projects', project, 'models', model, 'try'])}>See the forecast</a>. To continue newer rows,
            train a new version with them, or send them to the API.
          </p>
        ) : (
          <PredictFile project={project} model={shown} />
        )
      }
    </ModelFrame>
  );
}

/** The last prediction, which stays while other views are looked at. */
let kept: KeptPrediction | undefined;

/** Predicts all rows of a file that is chosen, and gives it back with the predictions. */
function PredictFile({ project, model }: { project: string; model: Model }) {
  const before = kept?.model.id === model.id && kept.model.version === model.version ? kept : undefined;
  const { head, setHead, isReading, error, read, forget } = useFile(project, before?.head);
  if (head !== undefined) {
    return (
      <PredictTable
        project={project}
        model={model}
        head={head}
        before={head === before?.head ? before : undefined}
        onKeep={(prediction) => {
          kept = prediction;
        }}
        onHead={setHead}
        forget={() => {
          kept = undefined;
          forget();
        }}
      />
    );
  }
  const isDemo = model.name === DEMO.name && model.target === DEMO.target;
  return (
    <>
      <p>
        Choose a file with the model’s columns: CSV, JSON, JSON lines, Excel, Parquet or Arrow. You get it back as CSV,
        with a prediction of {model.target} in each row. CSV is sent when you start; the service reads the beginning of
        other formats at once, and returns the columns that the model knows.
      </p>
      {error !== null && <ErrorNotice error={error} />}
      <DropZone label="Drop a file here, or" accept={TABLE_TYPES} isReading={isReading} onFile={read} />
      {isDemo && (
        <p class="actions">
          No file at hand?
          <button type="button" onClick={() => read(loadDemoTable(DEMO.moreRows))}>
            Use {count(DEMO.moreRowCount, 'other diamond')}
          </button>
        </p>
      )}
    </>
  );
}
