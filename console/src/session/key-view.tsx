import { View } from '../ui/view.js';
import { KeyForm } from './key-dialog.js';

/** The view `#/key`: the key of the session, and what it may do. */
export function KeyView() {
  return (
    <View title="Key">
      <KeyForm />
    </View>
  );
}
