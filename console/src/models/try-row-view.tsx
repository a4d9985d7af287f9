import { View } from '../ui/view.js';

/** A view of a model. */
export function TryRowView({ project, model }: { project: string; model: string }) {
  return (
    <View title="TryRowView">
      <p>Not written yet.</p>
    </View>
  );
}
