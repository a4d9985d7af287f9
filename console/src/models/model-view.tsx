import { ModelFrame } from './model-frame.js';

/** The view of how good a model is. */
export function ModelView({ project, model }: { project: string; model: string }) {
  return (
    <ModelFrame project={project} model={model} tab="quality">
      {({ summary }) => <p>{summary}</p>}
    </ModelFrame>
  );
}
