import { View } from '../ui/view.js';

/** A view of a model. */
export function VersionsView({ project, model }: { project: string; model: string }) {
  return (
    <View title="VersionsView">
      <p>Not written yet.</p>
    </View>
  );
}
