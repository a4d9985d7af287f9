import { useState } from 'preact/hooks';
import { answered, type Model } from 'roster-client';
import { Scrolling, Table } from '../plots/table.js';
import { readList } from '../session/read-list.js';
import { roster } from '../session/roster.js';
import { useLoaded } from '../session/use-loaded.js';
import { TableFileError } from '../tables/table-file-error.js';
import type { TableHead } from '../tables/table-head.js';
import { truncate } from '../tables/table-preview.js';
import { finePercent, rounded, whole } from '../ui/format.js';
import { Loading } from '../ui/loading.js';
import { SelectField } from '../ui/select.js';
import { targetUnit } from '../ui/units.js';
import { compareColumns } from './compare-columns.js';
import type { ResultTable } from './result-columns.js';
import { IN_FILE_ORDER } from './result-rows.js';
import { type PredictedTable, TablePrediction } from './table-prediction.js';

/** The most rows to show in which two models differ. */
const MAX_ROWS = 10;

interface Props {
  project: string;
  model: Model;
  head: TableHead;
  result: PredictedTable;
}

/** Predicts the same rows with another model of the project, which is chosen, and compares the two. */
export function CompareModels({ project, model, head, result }: Props) {
  const [name, setName] = useState('');
  const { loaded } = useLoaded((signal) => findComparable(project, model, signal), [project, model.name]);
  const others = loaded.state === 'ready' ? loaded.value : [];
  if (others.length === 0) return null;
  return (
    <section>
      <h2>Another model on the same rows</h2>
      <SelectField
        label={`Compare ${model.name} with`}
        class="compare-choice"
        value={name}
        options={[['', 'Choose a model'], ...others.map((other) => other.name)]}
        onChoose={setName}
      />
      {name !== '' && <Comparison key={name} project={project} model={model} head={head} result={result} name={name} />}
    </section>
  );
}

async function findComparable(project: string, { name, target, task }: Model, signal: AbortSignal) {
  const path = { projectName: project };
  const models = await readList((query) =>
    roster.GET('/api/projects/{projectName}/models', { params: { path, query }, signal }),
  );
  return models.filter((other) => {
    return other.name !== name && other.target === target && other.task === task && other.serving_version !== null;
  });
}

function Comparison({ project, model, head, result, name }: Props & { name: string }) {
  const { loaded, reload } = useLoaded((signal) => compare(project, name, head, result, signal), [name]);
  const isClass = model.task === 'classification';
  const unit = targetUnit(model);
  return (
    <Loading loaded={loaded} what={`the predictions of ${name}`} retry={reload}>
      {({ other, rows, compared, differing, distance }) => {
        const scores = [result.score, other.score];
        const quality = (value: number) => (isClass ? finePercent(value) : rounded(value, unit));
        const cells = (read: 'quality' | 'coverage', write: (value: number) => string) =>
          scores.map((score) => (score ? write(score[read]) : '–'));
        return (
          <>
            <Scrolling label="Both models">
              <Table
                hasNames
                isCompared
                head={['On the same rows', model.name, name]}
                rows={[
                  [isClass ? 'Accuracy' : 'Off by, on average', ...cells('quality', quality)],
                  [isClass ? 'Set coverage' : 'Interval coverage', ...cells('coverage', finePercent)],
                ]}
              />
            </Scrolling>
            <p>
              {isClass
                ? `They answer differently in ${whole(differing)} rows`
                : `They differ by ${rounded(distance, unit)} on average`}
              {compared < result.rows && ` in the first ${whole(compared)} rows`}.
            </p>
            {rows.length > 0 && (
              <Scrolling isPreview isWide label="Rows in which the models differ most">
                <Table head={['Row', ...labels(result.table), model.name, name]} rows={rows} />
              </Scrolling>
            )}
          </>
        );
      }}
    </Loading>
  );
}

/** The columns that say which row it is, and the true value. */
const known = ({ columns }: ResultTable) => columns.filter(({ role }) => role === 'own' || role === 'truth');
const labels = (table: ResultTable) => known(table).map((column) => column.name);

async function compare(project: string, name: string, head: TableHead, result: PredictedTable, signal: AbortSignal) {
  const path = { projectName: project, modelName: name };
  const read = (query: { version?: number }) =>
    answered(roster.GET('/api/projects/{projectName}/models/{modelName}', { params: { path, query }, signal }));
  const newest = await read({});
  const model = await read({ version: newest.serving_version ?? newest.version });
  const columns = compareColumns(head.columns, model);
  if (columns.used.length === 0) throw new TableFileError(`This file has none of the columns of ${name}.`);
  const prediction = new TablePrediction(project, model, head, columns, result.confidence, undefined);
  const other = await prediction.run(() => {}, signal);
  const [own, others] = await Promise.all([result.arrange(IN_FILE_ORDER), other.arrange(IN_FILE_ORDER)]);
  const [one, two] = [result.table, other.table].map(({ columns: all }) =>
    all.find(({ role }) => role === 'prediction'),
  );
  const pairs = own.rows.flatMap((row, index) => {
    const second = others.rows[index];
    if (!one || !two || !second) return [];
    const [a, b] = [one.valueOf(row), two.valueOf(second)];
    const distance = typeof a === 'number' && typeof b === 'number' ? Math.abs(a - b) : Number(a !== b);
    return [{ row, distance, texts: [one.textOf(row), two.textOf(second)] }];
  });
  const differing = pairs.filter(({ distance }) => distance > 0);
  const rows = differing
    .sort((first, second) => second.distance - first.distance)
    .slice(0, MAX_ROWS)
    .map(({ row, texts }) => [
      whole(row.place),
      ...known(result.table).map((column) => truncate(column.textOf(row))),
      ...texts,
    ]);
  const sum = pairs.reduce((total, { distance }) => total + distance, 0);
  return {
    other,
    rows,
    compared: pairs.length,
    differing: differing.length,
    distance: sum / Math.max(1, pairs.length),
  };
}
