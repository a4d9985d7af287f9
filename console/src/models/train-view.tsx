import { View } from '../ui/view.js';

/** Trains a model from a table. */
export function TrainView({ project, model }: { project: string; model: string | null }) {
  return (
    <View title="TrainView">
      <p>Not written yet.</p>
    </View>
  );
}
