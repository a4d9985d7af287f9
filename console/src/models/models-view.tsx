import { View } from '../ui/view.js';

/** The models of a project. */
export function ModelsView({ project }: { project: string }) {
  return (
    <View title="ModelsView">
      <p>Not written yet.</p>
    </View>
  );
}
