import { View } from '../ui/view.js';

/** A view of a model. */
export function ModelView({ project, model }: { project: string; model: string }) {
  return (
    <View title="ModelView">
      <p>Not written yet.</p>
    </View>
  );
}
