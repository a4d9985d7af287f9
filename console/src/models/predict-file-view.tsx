import { View } from '../ui/view.js';

/** A view of a model. */
export function PredictFileView({ project, model }: { project: string; model: string }) {
  return (
    <View title="PredictFileView">
      <p>Not written yet.</p>
    </View>
  );
}
