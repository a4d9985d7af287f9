import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Model, RowWarning } from 'roster-client';
import type { TableHead } from '../tables/table-head.js';
import { count, finePercent, percent, rounded, whole } from '../ui/format.js';
import { targetUnit } from '../ui/units.js';
import { UnknownColumns } from './column-names.js';
import { CompareModels } from './compare-models.js';
import { MissingColumns } from './missing-columns.js';
import { Remembered } from './remember-fields.js';
import { ResultTable, WorkbookButton } from './result-table.js';
import type { Score } from './score.js';
import { FOUND } from './suspect-rows.js';
import type { PredictedTable } from './table-prediction.js';

/** The confidence of sets of classes, unless another is asked for. */
const DEFAULT_SET_LEVEL = 0.9;

/** A predicted file: its downloads, its warnings, the quality of its predictions, and its rows. */
export function PredictionResult({
  project,
  model,
  head,
  result,
}: {
  project: string;
  model: Model;
  head: TableHead;
  result: PredictedTable;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [address] = useState(() => URL.createObjectURL(result.file));
  useLayoutEffect(() => heading.current?.focus(), []);
  useEffect(() => () => URL.revokeObjectURL(address), [address]);
  const base = head.file.name.replace(/\.[^.]*$/, '');
  const name = `${base}-predicted.csv`;
  return (
    <>
      <div class="heading done">
        <h2 ref={heading} tabIndex={-1}>
          {count(result.rows, 'row')} predicted
        </h2>
        <div class="actions">
          <a class="button primary" href={address} download={name}>
            Download {name}
          </a>
          <WorkbookButton result={result} name={`${base}-predicted.xlsx`} />
        </div>
      </div>
      {result.id !== undefined && <Remembered project={project} model={model.name} id={result.id} />}
      <Warnings model={model} result={result} />
      <SeenRows model={model} result={result} />
      {result.score && <Quality model={model} score={result.score} confidence={result.confidence} />}
      <ResultTable model={model} result={result} name={base} />
      <CompareModels project={project} model={model} head={head} result={result} />
    </>
  );
}

function Quality({
  model,
  score,
  confidence = DEFAULT_SET_LEVEL,
}: {
  model: Model;
  score: Score;
  confidence: number | undefined;
}) {
  const isNumber = model.task === 'regression';
  return (
    <>
      <h2>Quality of these predictions</h2>
      <p>
        Measured on the {count(score.rows, 'row')} in which the file has <code>{model.target}</code>.
      </p>
      <dl class="stats">
        <div>
          <dt>{isNumber ? 'Off by, on average' : 'Accuracy'}</dt>
          <dd>{isNumber ? rounded(score.quality, targetUnit(model)) : finePercent(score.quality)}</dd>
          {!isNumber && <dd class="hint">{finePercent(score.confidence)} expected from the confidences</dd>}
        </div>
        <div>
          <dt>{isNumber ? 'Interval coverage' : 'Set coverage'}</dt>
          <dd>{finePercent(score.coverage)}</dd>
          <dd class="hint">
            {isNumber
              ? `of the intervals contain the actual value; ${finePercent(score.confidence)} expected from the confidences`
              : `of the sets contain the actual class; at least ${percent(confidence)} expected in each class`}
          </dd>
        </div>
      </dl>
    </>
  );
}

/** Everything that keeps the predictions of a file from being as good as those of the training table. */
function Warnings({ model, result }: { model: Model; result: PredictedTable }) {
  const { warnings, hasMoreWarnings, warnedRows = 0, rows, comparison, id } = result;
  const misspelt = comparison.unknown.filter(({ name, nearest }) => nearest !== null && name !== id);
  return (
    <>
      <MissingColumns target={model.target} comparison={comparison} />
      {misspelt.length > 0 && (
        <div class="notice warning">
          <p>
            <strong>Columns of the file were not used, as the model does not know them.</strong>
          </p>
          <UnknownColumns columns={misspelt} />
        </div>
      )}
      {warnings.length > 0 && (
        <div class="notice warning">
          <p>
            <strong>Some rows are unlike the training table.</strong> They are predicted, but the confidences may not
            hold for them.
          </p>
          <ul>
            {warnings.map((warning) => (
              <li key={warning.kind + warning.name}>{describe(warning)}</li>
            ))}
            {hasMoreWarnings && <li>There are more warnings.</li>}
          </ul>
        </div>
      )}
      {warnedRows > 0 && (
        <p class="hint">
          {warnedRows === rows ? 'Every row has' : `${count(warnedRows, 'row has', 'rows have')}`} a warning in the last
          column of the file.
        </p>
      )}
    </>
  );
}

/** The rows of the training table that the service knows, at random, of a larger one. */
const MAX_KNOWN = 32_768;

/** Says how many rows the model was trained on itself, of a large table as an estimate. */
function SeenRows({ model: { row_count }, result: { seenRows, rows } }: { model: Model; result: PredictedTable }) {
  if (seenRows === 0) return null;
  const known = Math.min(1, MAX_KNOWN / (row_count ?? 1));
  const seen = Math.min(rows, Math.round(seenRows / known));
  return (
    <p class="notice">
      {known < 1 && 'About '}
      {whole(seen)} of {count(rows, 'row')} {seen === 1 ? 'has' : 'have'} the values of rows that the model was trained
      on. Predictions for them look better than they are.
    </p>
  );
}

function describe({ kind, name, rows }: RowWarning) {
  const inRows = `in ${count(rows, 'row')}`;
  if (kind === 'no-column') return `No value in any column of the model, ${inRows}`;
  return (
    <>
      <code>{name}</code>: {FOUND[kind]}, {inRows}
    </>
  );
}
