import { useRef, useState } from 'preact/hooks';
import type { Model } from 'roster-client';
import { useAttempt } from '../session/use-attempt.js';
import { Dialog } from '../ui/dialog.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { Field, TextField } from '../ui/field.js';
import { changeDetails } from './change-model.js';

/** A button that opens a form for the name and the description of a model. */
export function ModelDetails({
  project,
  model,
  onChanged,
}: {
  project: string;
  model: Model;
  onChanged: (now: Model) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Rename or describe
      </button>
      {isOpen && (
        <DetailsDialog
          project={project}
          model={model}
          onClose={() => setOpen(false)}
          onChanged={(now) => {
            setOpen(false);
            onChanged(now);
          }}
        />
      )}
    </>
  );
}

function DetailsDialog({
  project,
  model,
  onClose,
  onChanged,
}: {
  project: string;
  model: Model;
  onClose: () => void;
  onChanged: (now: Model) => void;
}) {
  const [name, setName] = useState(model.name);
  const [description, setDescription] = useState(model.description ?? '');
  const { isBusy, error, attempt } = useAttempt();
  const field = useRef<HTMLInputElement>(null);
  const save = () =>
    attempt(async () => {
      const path = { projectName: project, modelName: model.name };
      onChanged(await changeDetails(path, { name: name.trim(), description: description.trim() || null }));
    });
  return (
    <Dialog title={`Rename or describe ${model.name}`} focus={field} onClose={onClose}>
      <form onSubmit={() => !isBusy && void save()}>
        <TextField
          label="Name"
          hint="Skills follow a new name. Programs and links that have the former one get an error."
          value={name}
          onValue={setName}
          element={field}
        />
        <Field label="Description" isOptional>
          {(control) => (
            <textarea
              {...control}
              rows={3}
              value={description}
              onInput={(event) => setDescription(event.currentTarget.value)}
            />
          )}
        </Field>
        {error !== null && <ErrorNotice error={error} />}
        <div class="actions">
          <button type="submit" class="primary" aria-disabled={isBusy}>
            Save
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
