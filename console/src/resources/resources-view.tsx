import { View } from '../ui/view.js';

/** The list of the resources of a kind. */
export function ResourcesView({ project, kind }: { project: string; kind: string }) {
  return (
    <View title="ResourcesView">
      <p>Not written yet.</p>
    </View>
  );
}
