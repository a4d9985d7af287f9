import { useState } from 'preact/hooks';
import { key, keyRefusal, setKey } from '../session/key.js';
import { useSignal } from '../session/signal.js';
import { Dialog } from '../ui/dialog.js';
import { Field } from '../ui/field.js';

/** The page that signs in at an identity provider; undefined if there is none. */
const signIn = document.getElementById('app')?.dataset['signIn'];

/** Asks for a key, when the service has refused a request without one or with an invalid one. */
export function KeyDialog() {
  const refusal = useSignal(keyRefusal);
  if (refusal === null) return null;
  return (
    <Dialog title="Enter a key" onClose={() => keyRefusal.set(null)}>
      <KeyForm error={key.get() ? refusal : undefined} />
    </Dialog>
  );
}

/** A form for the key that all requests are sent with. */
export function KeyForm({ error }: { error?: string | undefined }) {
  const [value, setValue] = useState(key.get());
  const [isKept, setKept] = useState(false);
  return (
    <form onSubmit={() => setKey(value.trim(), isKept)}>
      <Field label="Key" hint="It begins with roster_. The people who run the service create keys." error={error}>
        {(control) => (
          <input
            {...control}
            type="password"
            autocomplete="off"
            spellcheck={false}
            value={value}
            onInput={(event) => setValue(event.currentTarget.value)}
          />
        )}
      </Field>
      <label class="check">
        <input type="checkbox" checked={isKept} onChange={(event) => setKept(event.currentTarget.checked)} />
        Keep the key until this tab is closed
      </label>
      <div class="actions">
        <button type="submit" class="primary">
          Use this key
        </button>
        {signIn && (
          <a class="button" href={signIn + location.hash}>
            Sign in
          </a>
        )}
        {key.get() && (
          <button type="button" onClick={() => setKey('', false)}>
            Continue without a key
          </button>
        )}
      </div>
    </form>
  );
}
