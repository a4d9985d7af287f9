import { PredictFile } from '../predictions/predict-file.js';
import { ModelFrame } from './model-frame.js';

export function PredictFileView({ project, model }: { project: string; model: string }) {
  return (
    <ModelFrame project={project} model={model} tab="predict">
      {(shown) => <PredictFile project={project} model={shown} />}
    </ModelFrame>
  );
}
