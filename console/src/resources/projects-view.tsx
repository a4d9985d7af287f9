import { View } from '../ui/view.js';

/** The projects. */
export function ProjectsView() {
  return (
    <View title="ProjectsView">
      <p>Not written yet.</p>
    </View>
  );
}
