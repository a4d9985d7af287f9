import { PredictFile } from '../predictions/predict-file.js';
import { href } from '../router/route.js';
import { ModelFrame } from './model-frame.js';

export function PredictFileView({ project, model }: { project: string; model: string }) {
  return (
    <ModelFrame project={project} model={model} tab="predict">
      {(shown) =>
        shown.task === 'forecast' ? (
          <p>
            A forecast continues the series of the table.{' '}
            <a href={href(['projects', project, 'models', model, 'try'])}>See the forecast</a>. To
            continue newer rows, train a new version with them, or send them to the API.
          </p>
        ) : (
          <PredictFile project={project} model={shown} />
        )
      }
    </ModelFrame>
  );
}
