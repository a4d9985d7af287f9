import { ModelList } from './model-list.js';

/** The models of a project. */
export function ModelsView({ project }: { project: string }) {
  return <ModelList project={project} />;
}
