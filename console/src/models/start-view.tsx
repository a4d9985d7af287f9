import { View } from '../ui/view.js';

/** The view at the start. */
export function StartView() {
  return (
    <View title="StartView">
      <p>Not written yet.</p>
    </View>
  );
}
