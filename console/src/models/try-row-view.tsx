import { useEffect, useState } from 'preact/hooks';
import type { Column, Model } from 'roster-client';
import { replaceQuery, useRoute } from '../router/route.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { Field } from '../ui/field.js';
import { percent } from '../ui/format.js';
import { ModelFrame } from './model-frame.js';
import { byImportance } from './quality/importance.js';
import { Answer } from './try/answer.js';
import { ColumnField } from './try/column-field.js';
import { Curve } from './try/curve.js';
import { cellsOf, type Row, startRow, valuesAlong } from './try/row.js';
import { usePredictions } from './try/use-predictions.js';

/** Predicts one row while its values change. */
export function TryRowView({ project, model }: { project: string; model: string }) {
  return (
    <ModelFrame project={project} model={model} tab="try">
      {(shown) => <TryRow project={project} model={shown} />}
    </ModelFrame>
  );
}

/** The choices of a confidence; the first one leaves it to the service. */
const CONFIDENCES = ['', '0.8', '0.9', '0.95'] as const;

/** The names of the view's own parameters in the address, which no usual column has. */
const ALONG = '~along';
const CONFIDENCE = '~confidence';

/** With more columns, the less important ones can be opened. */
const MAX_FIELDS = 12;

function TryRow({ project, model }: { project: string; model: Model }) {
  const { segments, query } = useRoute();
  const columns = byImportance(model.columns ?? []);
  const [row, setRow] = useState<Row>(() => rowOf(query, columns));
  const [confidence, setConfidence] = useState(query.get(CONFIDENCE) ?? '');
  const [along, setAlong] = useState(query.get(ALONG) ?? columns[0]?.name ?? '');
  const [chosenClass, setChosenClass] = useState('');

  // Another address of this view, from the history or a link, has another row.
  const address = query.toString();
  // The address stands for the query, which is new at each render.
  useEffect(() => {
    setRow(rowOf(query, columns));
    setConfidence(query.get(CONFIDENCE) ?? '');
    setAlong(query.get(ALONG) ?? columns[0]?.name ?? '');
  }, [address]);

  const column = columns.find(({ name }) => name === along) ?? columns[0];
  const wanted = CONFIDENCES.some((choice) => choice === confidence) ? confidence : '';
  const asked = wanted === '' ? undefined : Number(wanted);
  const { predicted, error } = usePredictions(project, model, {
    row: cellsOf(columns, row),
    along: column?.name ?? '',
    values: column ? valuesAlong(column) : [],
    confidence: asked,
  });
  useEffect(() => {
    const timer = setTimeout(() => {
      const filled = Object.entries(row).filter(([, value]) => value !== '');
      const own = [[ALONG, along], ...(wanted ? [[CONFIDENCE, wanted]] : [])];
      replaceQuery(segments, Object.fromEntries([...filled, ...own]));
    }, 400);
    return () => clearTimeout(timer);
  }, [row, along, wanted, segments]);

  const prediction = predicted?.predictions[0];
  const drawnClass = chosenClass || (prediction?.task === 'classification' ? prediction.value : '');
  const warningOf = ({ name }: Column) =>
    predicted?.warnings.find((warning) => warning.name === name);
  const field = (each: Column) => (
    <ColumnField
      key={each.name}
      column={each}
      value={row[each.name] ?? ''}
      warning={warningOf(each)}
      onValue={(value) => setRow((last) => ({ ...last, [each.name]: value }))}
    />
  );
  return (
    <>
      {error !== null && <ErrorNotice error={error} />}
      <Answer model={model} prediction={prediction} confidence={asked} />
      <fieldset class="choices">
        <legend>Confidence</legend>
        {CONFIDENCES.map((choice) => (
          <label key={choice}>
            <input
              type="radio"
              name="confidence"
              checked={wanted === choice}
              onChange={() => setConfidence(choice)}
            />
            {choice === '' ? 'Automatic' : percent(Number(choice))}
          </label>
        ))}
      </fieldset>
      <div class="try">
        <form onSubmit={(event) => event.preventDefault()}>
          <h2>The row</h2>
          <p class="faint">
            The columns that matter most come first. Each may be left empty. The address of this
            page holds the row, so that you can share it.
          </p>
          <div class="fields">{columns.slice(0, MAX_FIELDS).map(field)}</div>
          {columns.length > MAX_FIELDS && (
            <details>
              <summary>{columns.length - MAX_FIELDS} more columns</summary>
              <div class="fields">{columns.slice(MAX_FIELDS).map(field)}</div>
            </details>
          )}
          <div class="actions">
            <button type="button" onClick={() => setRow(startRow(columns))}>
              Start again
            </button>
            <button type="button" onClick={() => setRow({})}>
              Empty all
            </button>
          </div>
        </form>
        <section class="what-if">
          <h2>What if?</h2>
          <div class="fields">
            <Field label="Move along">
              {(control) => (
                <select
                  {...control}
                  value={along}
                  onChange={(event) => setAlong(event.currentTarget.value)}
                >
                  {columns.map(({ name }) => (
                    <option key={name} value={name}>
                      {name}
                    </option>
                  ))}
                </select>
              )}
            </Field>
            {model.task === 'classification' && (
              <Field label="Class">
                {(control) => (
                  <select
                    {...control}
                    value={chosenClass}
                    onChange={(event) => setChosenClass(event.currentTarget.value)}
                  >
                    <option value="">The predicted one</option>
                    {model.classes?.map(({ name }) => (
                      <option key={name} value={name}>
                        {name}
                      </option>
                    ))}
                  </select>
                )}
              </Field>
            )}
          </div>
          {predicted && <Curve model={model} predicted={predicted} chosenClass={drawnClass} />}
        </section>
      </div>
    </>
  );
}

/** Returns the row of an address, or the one to begin with. */
function rowOf(query: URLSearchParams, columns: readonly Column[]): Row {
  if (query.size === 0) return startRow(columns);
  return Object.fromEntries(columns.map(({ name }) => [name, query.get(name) ?? '']));
}
