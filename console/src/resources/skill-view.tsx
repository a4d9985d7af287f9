import { View } from '../ui/view.js';

/** A resource, or the form for a new one. */
export function SkillView({ project, name }: { project: string; name: string }) {
  return (
    <View title="SkillView">
      <p>Not written yet.</p>
    </View>
  );
}
