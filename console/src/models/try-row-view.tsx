import { useEffect, useRef, useState } from 'preact/hooks';
import type { Column, Model } from 'roster-client';
import { ConfidenceChoices, DEFAULT_CHOICE, parseChoice, readConfidence } from '../predictions/confidence-choices.js';
import { Why } from '../predictions/why.js';
import { replaceQuery, useRoute } from '../router/route.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { count } from '../ui/format.js';
import { SelectField } from '../ui/select.js';
import { Forecast } from './forecast/forecast.js';
import { ModelFrame } from './model-frame.js';
import { byImportance } from './quality/importance.js';
import { Answer } from './try/answer.js';
import { ColumnField } from './try/column-field.js';
import { Curve } from './try/curve.js';
import { hasTypicalRow, pickCells, type Row, startRow, valuesAlong } from './try/row.js';
import { usePredictions } from './try/use-predictions.js';

/** Predicts one row while its values change, or forecasts a series. */
export function TryRowView({ project, model }: { project: string; model: string }) {
  return (
    <ModelFrame project={project} model={model} tab="try">
      {(shown) =>
        shown.task === 'forecast' ? (
          <Forecast key={shown.version} project={project} model={shown} />
        ) : (
          <TryRow project={project} model={shown} />
        )
      }
    </ModelFrame>
  );
}

/** The names of the view's own parameters in the address, which no usual column has. */
const ALONG = '~along';
const CONFIDENCE = '~confidence';

/** The most columns to show at once; the less important ones can be opened. */
const MAX_FIELDS = 12;

function TryRow({ project, model }: { project: string; model: Model }) {
  const { segments, query } = useRoute();
  const columns = byImportance(model.columns ?? []);
  const [row, setRow] = useState<Row>(() => readRow(queryNow(), columns));
  const [confidence, setConfidence] = useState(() => parseChoice(queryNow().get(CONFIDENCE)));
  const [along, setAlong] = useState(queryNow().get(ALONG) ?? '');
  const [isAll, setAll] = useState(false);
  const [chosenClass, setChosenClass] = useState('');

  // Another address of this view, from the history or a link, has another row.
  const address = query.toString();
  // The address stands for the query, which is new at each render.
  const read = useRef(address);
  useEffect(() => {
    // The first one is in the row already, and somebody may have begun to type.
    if (read.current === address) return;
    read.current = address;
    setRow(readRow(queryNow(), columns));
    setConfidence(parseChoice(queryNow().get(CONFIDENCE)));
    setAlong(queryNow().get(ALONG) ?? '');
  }, [address]);

  const column = columns.find(({ name }) => name === along) ?? columns[0];
  const asked = readConfidence(confidence);
  const { predicted, error, retry } = usePredictions(project, model, {
    row: pickCells(columns, row),
    along: column?.name ?? '',
    values: column ? valuesAlong(column) : [],
    confidence: asked,
  });
  useEffect(() => {
    const timer = setTimeout(() => {
      const filled = Object.entries(row).filter(([, value]) => value !== '');
      const level = confidence === DEFAULT_CHOICE ? [] : [[CONFIDENCE, confidence]];
      const own = [[ALONG, column?.name ?? ''], ...level];
      replaceQuery(segments, Object.fromEntries([...filled, ...own]));
    }, 400);
    return () => clearTimeout(timer);
  }, [row, column?.name, confidence]);

  const prediction = predicted?.predictions[0];
  const drawnClass = chosenClass || (prediction?.task === 'classification' ? prediction.value : '');
  // The values along the curve are the model's own: each warning is of the row.
  const ownWarnings = predicted?.warnings ?? [];
  const warningOf = ({ name }: Column) => ownWarnings.find((warning) => warning.name === name);
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
      {error !== null && <ErrorNotice error={error} retry={retry} />}
      {(prediction !== undefined || error === null) && (
        <Answer
          model={model}
          prediction={prediction}
          confidence={predicted?.question.confidence}
          warnings={ownWarnings}
        />
      )}
      <ConfidenceChoices chosen={confidence} onChoose={setConfidence} />
      <div class="try">
        <form>
          <h2>The row</h2>
          <p class="faint">
            {hasTypicalRow(columns)
              ? 'It begins with a typical row of the training table. '
              : 'It begins with the middle of each column. '}
            The most important columns come first. Any can be left empty. To share this row, copy the address of the
            page.
          </p>
          <div class="fields">{columns.slice(0, isAll ? undefined : MAX_FIELDS).map(field)}</div>
          {columns.length > MAX_FIELDS && !isAll && (
            <p>
              <button type="button" onClick={() => setAll(true)}>
                Show {count(columns.length - MAX_FIELDS, 'more column')}
              </button>
            </p>
          )}
          <div class="actions">
            <button type="button" onClick={() => setRow(startRow(columns))}>
              Reset
            </button>
            <button type="button" onClick={() => setRow({})}>
              Clear all
            </button>
          </div>
        </form>
        <section class="what-if">
          {predicted?.contributions && (
            <>
              <h2>Why this prediction?</h2>
              <Why model={model} contributions={predicted.contributions} />
            </>
          )}
          <h2>What if one value changes?</h2>
          <div class="fields">
            <SelectField
              label="Column to vary"
              value={column?.name ?? ''}
              options={columns.map(({ name }) => name)}
              onChoose={setAlong}
            />
            {model.task === 'classification' && (
              <SelectField
                label="Class"
                value={chosenClass}
                options={[['', 'The predicted class'], ...(model.classes ?? []).map(({ name }) => name)]}
                onChoose={setChosenClass}
              />
            )}
          </div>
          {predicted && <Curve model={model} predicted={predicted} chosenClass={drawnClass} />}
        </section>
      </div>
    </>
  );
}

/** The query as the address has it now: the view replaces it without a new route. */
const queryNow = () => new URLSearchParams(location.hash.split('?')[1]);

/** Returns the row of an address, or the one to begin with. */
function readRow(query: URLSearchParams, columns: readonly Column[]): Row {
  if (query.size === 0) return startRow(columns);
  return Object.fromEntries(columns.map(({ name }) => [name, query.get(name) ?? '']));
}
