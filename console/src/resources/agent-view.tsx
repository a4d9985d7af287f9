import { View } from '../ui/view.js';

/** A resource, or the form for a new one. */
export function AgentView({ project, name }: { project: string; name: string }) {
  return (
    <View title="AgentView">
      <p>Not written yet.</p>
    </View>
  );
}
