import { useEffect } from 'preact/hooks';
import { href, useRoute } from '../router/route.js';
import { useLoaded } from '../session/use-loaded.js';
import { TABLE_HINT, TABLE_TYPES } from '../tables/table-types.js';
import { useFile } from '../tables/use-file.js';
import { findTrained, takeHandedOver } from '../training/chosen-file.js';
import { readModel } from '../training/read-model.js';
import { settingsOf } from '../training/settings.js';
import { TrainForm } from '../training/train-form.js';
import { DropZone } from '../ui/drop-zone.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { View } from '../ui/view.js';

/** Trains a model from a table: a new one, or with `?name=` the next version of a model. */
export function TrainView({ project }: { project: string }) {
  const { query } = useRoute();
  // The choices about a table for one model are not those for another.
  return <Train key={query.toString()} project={project} query={query} />;
}

function Train({ project, query }: { project: string; query: URLSearchParams }) {
  const model = query.get('name');
  const settings = settingsOf(query);
  const hasSettings = settings.uses.size + settings.table.length > 0;
  const { head, setHead, isReading, error, read, forget } = useFile(project);
  // The form begins with the target and the choices of the newest version.
  const { loaded } = useLoaded(async (signal) => (model === null ? undefined : readModel(project, model, signal)), []);
  useEffect(() => {
    const file = takeHandedOver() ?? (model !== null && hasSettings ? findTrained(project, model) : undefined);
    if (file) void read(file);
  }, []);
  return (
    <View
      title={model === null ? 'Train a model' : `Train a new version of ${model}`}
      up={
        model === null
          ? { href: href(['projects', project, 'models']), text: 'Models' }
          : { href: href(['projects', project, 'models', model]), text: model }
      }
    >
      {head === undefined || loaded.state === 'loading' ? (
        <>
          <p>Choose a table that has the value to predict: {TABLE_HINT}</p>
          {hasSettings && <p class="notice">The choices of the finding are set. Choose the table again.</p>}
          {error !== null && <ErrorNotice error={error} />}
          <DropZone
            label="Drop a table here, or"
            accept={TABLE_TYPES}
            isReading={isReading || head !== undefined}
            onFile={read}
          />
        </>
      ) : (
        <TrainForm
          key={`${head.file.name}\n${head.file.lastModified}\n${head.file.size}`}
          project={project}
          model={model}
          head={head}
          initial={settings}
          newest={loaded.state === 'ready' ? loaded.value : undefined}
          onHead={setHead}
          forget={forget}
        />
      )}
    </View>
  );
}
