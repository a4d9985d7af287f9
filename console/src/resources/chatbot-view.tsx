import { View } from '../ui/view.js';

/** A resource, or the form for a new one. */
export function ChatbotView({ project, name }: { project: string; name: string }) {
  return (
    <View title="ChatbotView">
      <p>Not written yet.</p>
    </View>
  );
}
