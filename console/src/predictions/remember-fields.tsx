import { href } from '../router/route.js';
import { Select } from '../ui/select.js';

/** The column in which an answer says which row it is. */
export const ROW_ID = '__service_row_id';

/** Chooses whether predictions are remembered, and the column by which rows are known: none, for the id of the answer. */
export function RememberFields({
  columns,
  id,
  onChoose,
}: {
  columns: readonly string[];
  /** The column; '' for the id of the answer, and undefined if nothing is to be remembered. */
  id: string | undefined;
  onChoose: (id: string | undefined) => void;
}) {
  return (
    <>
      <p>
        <label class="check">
          <input
            type="checkbox"
            checked={id !== undefined}
            onChange={({ currentTarget }) => onChoose(currentTarget.checked ? '' : undefined)}
          />
          Remember these predictions, to see later how many come true
        </label>
      </p>
      {id !== undefined && (
        <p>
          <label>
            Rows are known by{' '}
            <Select
              value={id}
              options={[['', `a new column, ${ROW_ID}`], ...columns.filter(Boolean)]}
              onChoose={onChoose}
            />
          </label>
        </p>
      )}
    </>
  );
}

/** Says where the true values of remembered rows go. */
export function Remembered({ project, model, id }: { project: string; model: string; id: string }) {
  return (
    <p class="notice">
      The predictions are remembered. When the true values are known, add a file with them and{' '}
      <code>{id || ROW_ID}</code> under <a href={href(['projects', project, 'models', model, 'record'])}>Record</a>.
    </p>
  );
}
