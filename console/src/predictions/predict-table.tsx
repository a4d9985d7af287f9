import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Model } from 'roster-client';
import { useLeaveWarning } from '../session/use-leave-warning.js';
import { useRescuedFocus } from '../session/use-rescued-focus.js';
import { FileLine } from '../tables/file-line.js';
import { HeaderLineField } from '../tables/header-line-field.js';
import { isCsv, type TableHead } from '../tables/table-head.js';
import { usePlace } from '../tables/use-place.js';
import { WorkbookFields } from '../tables/workbook-fields.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { count } from '../ui/format.js';
import { RunningNotice } from '../ui/progress.js';
import { type AddedColumn, addedColumns } from './added-columns.js';
import { checkRows } from './check-rows.js';
import { ColumnNames, UnknownColumns } from './column-names.js';
import { type Comparison, compareColumns } from './compare-columns.js';
import { ConfidenceChoices, DEFAULT_CHOICE, readConfidence } from './confidence-choices.js';
import { MissingColumns } from './missing-columns.js';
import { PredictionResult } from './prediction-result.js';
import { RememberFields } from './remember-fields.js';
import { SuspectRows } from './suspect-rows.js';
import { chosenFields, type PredictedTable, type PredictionProgress, TablePrediction } from './table-prediction.js';

type State =
  | { readonly step: 'compared' }
  | { readonly step: 'running'; readonly progress: PredictionProgress }
  /** Without an error, the page was left. */
  | { readonly step: 'stopped'; readonly error?: unknown; readonly progress: PredictionProgress }
  | { readonly step: 'done'; readonly result: PredictedTable };

/** A file of which no row, the first rows or all rows were predicted. */
export interface KeptPrediction {
  readonly model: Model;
  readonly head: TableHead;
  readonly prediction: TablePrediction | undefined;
  readonly state: State;
}

const COMPARED: State = { step: 'compared' };

const predicted = ({ rows }: PredictionProgress) => `Predicted ${count(rows, 'row')}`;

/** Predicts the rows of a file that was chosen, after its columns were compared with the model's. */
export function PredictTable({
  project,
  model: current,
  head,
  before,
  onKeep,
  onHead,
  forget,
}: {
  project: string;
  model: Model;
  head: TableHead;
  /** The prediction of this file, if it began before. */
  before: KeptPrediction | undefined;
  /** Called with a prediction that has ended, or can be continued. */
  onKeep: (kept: KeptPrediction) => void;
  /** Called with the file as it is read with another line as its header. */
  onHead: (head: TableHead) => void;
  forget: () => void;
}) {
  // Another version may begin to serve meanwhile: a file is predicted by the one it was compared with.
  const [model] = useState(current);
  const comparison = useMemo(() => compareColumns(head.columns, model), [head, model]);
  const suspects = useMemo(() => checkRows(model, head, comparison), [head, model]);
  const [state, setState] = useState(before?.state ?? COMPARED);
  const [confidence, setConfidence] = useState(DEFAULT_CHOICE);
  const [id, setId] = useState<string>();
  const [isExplained, setExplained] = useState(false);
  const aborter = useRef<AbortController>(undefined);
  const prediction = useRef(before?.prediction);
  const place = usePlace(project, head, onHead);
  useEffect(() => () => aborter.current?.abort(), []);
  useLeaveWarning(state.step === 'running' || state.step === 'stopped');

  const run = async (progress: PredictionProgress) => {
    const running = new AbortController();
    aborter.current = running;
    const { signal } = running;
    const asked = readConfidence(confidence);
    const own = prediction.current ?? new TablePrediction(project, model, head, comparison, asked, id, isExplained);
    prediction.current = own;
    let reached = progress;
    const end = (ended: State) => {
      // A cancelled prediction is not kept.
      if (prediction.current !== own) return;
      setState(ended);
      onKeep({ model, head, prediction: own, state: ended });
    };
    setState({ step: 'running', progress });
    try {
      const result = await own.run((next) => {
        reached = next;
        if (!signal.aborted) setState({ step: 'running', progress: next });
      }, signal);
      end({ step: 'done', result });
    } catch (error) {
      if (!signal.aborted) end({ step: 'stopped', error, progress: reached });
      else if (isCsv(head)) end({ step: 'stopped', progress: reached });
    }
  };
  const cancel = () => {
    aborter.current?.abort();
    prediction.current = undefined;
    setState(COMPARED);
    onKeep({ model, head, prediction: undefined, state: COMPARED });
  };

  return (
    <>
      <FileLine head={head} forget={forget} isBusy={state.step === 'running'} />
      {state.step === 'compared' && isCsv(head) && <HeaderLineField head={head} chosen={place} isBusy={false} />}
      {state.step === 'compared' && <WorkbookFields head={head} chosen={place} isBusy={false} />}
      {state.step !== 'done' && (
        <ColumnComparison
          model={model}
          comparison={comparison}
          added={addedColumns(model, head.columns, chosenFields(model, id, isExplained))}
        />
      )}
      {state.step === 'compared' && comparison.used.length > 0 && (
        <>
          <SuspectRows
            columns={suspects}
            read={
              head.isWhole ? `all ${count(head.rows.length, 'row')}` : `the first ${count(head.rows.length, 'row')}`
            }
          />
          <ConfidenceChoices chosen={confidence} onChoose={setConfidence} />
          <p>
            <label class="check">
              <input
                type="checkbox"
                checked={isExplained}
                onChange={({ currentTarget }) => setExplained(currentTarget.checked)}
              />
              Add the contribution of each column
            </label>
          </p>
          <RememberFields columns={head.columns} id={id} onChoose={setId} />
          <FocusedButton
            isDisabled={place.isReading}
            onClick={() => run({ rows: 0, share: isCsv(head) ? 0 : undefined })}
          >
            {head.isWhole ? `Predict ${count(head.rows.length, 'row')}` : 'Predict all rows'}
          </FocusedButton>
        </>
      )}
      {state.step === 'running' && (
        <RunningNotice label={predicted(state.progress)} share={state.progress.share} cancel={cancel} />
      )}
      {state.step === 'stopped' && (
        <>
          {state.error !== undefined && <ErrorNotice error={state.error} />}
          {isCsv(head) && (
            <p>{count(state.progress.rows, 'row')} predicted so far. They are kept while this page is open.</p>
          )}
          <div class="actions">
            {isCsv(head) && <FocusedButton onClick={() => run(state.progress)}>Continue</FocusedButton>}
            <button type="button" onClick={cancel}>
              Start over
            </button>
          </div>
        </>
      )}
      {state.step === 'done' && <PredictionResult project={project} model={model} head={head} result={state.result} />}
    </>
  );
}

/** The next step, which gets the focus where the step before it has gone with its button. */
function FocusedButton({
  isDisabled = false,
  onClick,
  children,
}: {
  isDisabled?: boolean;
  onClick: () => void;
  children: ComponentChildren;
}) {
  const button = useRescuedFocus<HTMLButtonElement>();
  return (
    <button
      type="button"
      ref={button}
      class="primary"
      aria-disabled={isDisabled}
      onClick={() => isDisabled || onClick()}
    >
      {children}
    </button>
  );
}

/** Shows how the columns of a file fit a model, and what will be added to the file. */
function ColumnComparison({
  model,
  comparison,
  added,
}: {
  model: Model;
  comparison: Comparison;
  added: readonly AddedColumn[];
}) {
  const { used, unknown, missing, targetIndex } = comparison;
  const needed = used.length + missing.length;
  if (used.length === 0) {
    return (
      <p class="notice error" role="alert">
        <strong>This file has none of the model’s columns.</strong> It needs <ColumnNames names={missing} />.
      </p>
    );
  }
  return (
    <>
      <MissingColumns target={model.target} comparison={comparison} />
      <dl class="fit">
        <dt>Used</dt>
        <dd>
          {missing.length === 0
            ? `All ${count(needed, 'column')} of the model`
            : `${used.length} of the ${count(needed, 'column')} of the model`}
        </dd>
        {unknown.length > 0 && (
          <>
            <dt>Unknown to the model</dt>
            <dd>
              <UnknownColumns columns={unknown} />
            </dd>
          </>
        )}
        <dt>Added to the file</dt>
        <dd>
          <ColumnNames names={added.map(({ name }) => name)} />
          {targetIndex !== undefined && (
            <>
              . The file’s own <code>{model.target}</code> stays, and is compared with the predictions
            </>
          )}
          .
        </dd>
      </dl>
    </>
  );
}
