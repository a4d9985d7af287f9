import { useState } from 'preact/hooks';
import { answered, type Model } from 'roster-client';
import type { components } from '../../../../generated/openapi.js';
import { ROW_ID } from '../../predictions/remember-fields.js';
import { uploadClient } from '../../session/roster.js';
import { useAttempt } from '../../session/use-attempt.js';
import { csvQuery, toUtf8 } from '../../tables/csv-request.js';
import { isCsv, type TableHead } from '../../tables/table-head.js';
import { TABLE_TYPES } from '../../tables/table-types.js';
import { useFile } from '../../tables/use-file.js';
import { DropZone } from '../../ui/drop-zone.js';
import { ErrorNotice } from '../../ui/error-notice.js';
import { count, percent, whole } from '../../ui/format.js';
import { Select } from '../../ui/select.js';

type Actuals = components['schemas']['Actuals'];

/** Takes a file of true values, and says which promises they met. */
export function TruthsFile({ project, model, onAdded }: { project: string; model: Model; onAdded: () => void }) {
  const { head, isReading, error: fault, read, forget } = useFile(project);
  const [chosen, setId] = useState<string>();
  const [share, setShare] = useState(0);
  const [added, setAdded] = useState<Actuals>();
  const { isBusy, error: refusal, attempt } = useAttempt();
  const error = fault ?? refusal;
  const id = chosen ?? (head?.columns.includes(ROW_ID) ? ROW_ID : '');
  const isComplete = ({ columns }: TableHead) =>
    columns.includes(model.target) && (id !== '' || model.task === 'forecast');
  const choose = (file: File) => {
    setAdded(undefined);
    setId(undefined);
    void read(file);
  };
  const send = (table: TableHead) =>
    attempt(async () => {
      setAdded(await sendTruths(project, model, table, id, setShare));
      forget();
      onAdded();
    });
  return (
    <>
      <p>
        Choose a file with the true values in a column {model.target}, and a column that says which prediction each is
        of: <code>{ROW_ID}</code> as the answer had it, or your own id that was sent with the rows (<code>id=</code>).
        {model.task === 'forecast' && ' New rows of the series need no id.'}
      </p>
      {error !== null && <ErrorNotice error={error} scrollTo />}
      {added && <Added added={added} />}
      {head === undefined ? (
        <DropZone label="Drop a file here, or" accept={TABLE_TYPES} isReading={isReading} onFile={choose} />
      ) : (
        <form onSubmit={() => void send(head)}>
          <label>
            Rows of {head.file.name} are known by{' '}
            <Select
              value={id}
              options={[
                ['', model.task === 'forecast' ? 'their series and moment' : 'Choose a column'],
                ...head.columns.filter((name) => name !== model.target),
              ]}
              onChoose={setId}
            />
          </label>
          {!head.columns.includes(model.target) && (
            <p class="notice warning" role="alert">
              <strong>The file has no column {model.target}.</strong> Choose one with the true values.
            </p>
          )}
          <p class="actions">
            <button type="submit" class="primary" disabled={isBusy || !isComplete(head)}>
              {isBusy ? `Sending … ${percent(share)}` : 'Add the true values'}
            </button>
            <button type="button" disabled={isBusy} onClick={forget}>
              Choose another file
            </button>
          </p>
        </form>
      )}
    </>
  );
}

function Added({ added }: { added: Actuals }) {
  const { matched, corrected, unchanged, unmatched, unmatched_rows } = added;
  return (
    <div class={unmatched > 0 ? 'notice warning' : 'notice'} role="status">
      <p>
        {count(matched, 'true value')} added, {whole(corrected)} corrected, {whole(unchanged)} known before.{' '}
        {unmatched > 0 && `${count(unmatched, 'row')} met no prediction:`}
      </p>
      {unmatched_rows.length > 0 && (
        <ul>
          {unmatched_rows.slice(0, 10).map(({ row, reason }) => (
            <li key={row}>
              Row {whole(row)}: {reason.replaceAll('-', ' ')}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

async function sendTruths(
  project: string,
  model: Model,
  head: TableHead,
  id: string,
  onProgress: (share: number) => void,
): Promise<Actuals> {
  const { file, type, workbook } = head;
  const format = isCsv(head) ? head.format : undefined;
  onProgress(0);
  const body = await toUtf8(file, format?.encoding);
  return answered(
    uploadClient(body, onProgress).POST('/api/projects/{projectName}/models/{modelName}/actuals', {
      params: {
        path: { projectName: project, modelName: model.name },
        query: { ...(id && id !== ROW_ID && { id }), ...workbook?.place, ...csvQuery(format) },
      },
      body,
      headers: { 'Content-Type': type },
    }),
  );
}
