import { useState } from 'preact/hooks';
import { useAttempt } from '../session/use-attempt.js';
import { useLeaveWarning } from '../session/use-leave-warning.js';
import { isName } from '../training/model-name.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { Field, TextField } from '../ui/field.js';
import { putDocument, type SkillPath } from './send-documents.js';

/** A form that keeps a text that is pasted or typed. */
export function PasteForm({ path, onKept }: { path: SkillPath; onKept: (name: string) => void }) {
  const [name, setName] = useState('');
  const [text, setText] = useState('');
  const [isChecked, setChecked] = useState(false);
  const { isBusy, error, attempt } = useAttempt();
  useLeaveWarning(text !== '');
  const nameFault = isChecked && !isName(name) ? NAME_FAULT : undefined;
  const textFault = isChecked && text.trim() === '' ? 'The text must not be empty.' : undefined;
  const keep = async () => {
    setChecked(true);
    if (isBusy || !isName(name) || text.trim() === '') return;
    await attempt(async () => {
      await putDocument(path, name, text);
      setName('');
      setText('');
      setChecked(false);
      onKept(name);
    });
  };
  return (
    <form class="resource" noValidate onSubmit={() => void keep()}>
      {error !== null && <ErrorNotice error={error} scrollTo />}
      <TextField
        label="Name"
        hint="With the ending .md, the text is Markdown."
        error={nameFault}
        value={name}
        onValue={setName}
      />
      <Field label="Text" error={textFault}>
        {(control) => (
          <textarea
            {...control}
            rows={6}
            readOnly={isBusy}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
      </Field>
      <button type="submit" class="primary" aria-disabled={isBusy}>
        {isBusy ? 'Sending …' : 'Keep the text'}
      </button>
    </form>
  );
}

const NAME_FAULT = 'The name must consist of A-Z a-z 0-9 _ . - and begin with a letter, a digit or _.';
