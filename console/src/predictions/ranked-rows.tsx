import { useState } from 'preact/hooks';
import type { ClassificationModel } from 'roster-client';
import { useLoaded } from '../session/use-loaded.js';
import { ChooseClass, rarestClass } from '../ui/choose-class.js';
import { count } from '../ui/format.js';
import { Loading } from '../ui/loading.js';
import { saveFile } from '../ui/save-file.js';
import { FirstRows } from './first-rows.js';
import type { PredictedTable } from './table-prediction.js';

/** The rows of a predicted file, by the probability of a class that is chosen. */
export function RankedRows({
  model,
  rank,
  result,
  name,
}: {
  model: ClassificationModel;
  rank: NonNullable<PredictedTable['rank']>;
  result: PredictedTable;
  /** Of the file to download. */
  name: string;
}) {
  const classes = model.classes ?? [];
  const [chosen, choose] = useState(() => rarestClass(classes) ?? '');
  const { loaded, reload } = useLoaded(() => rank(chosen), [chosen]);
  return (
    <>
      <h2>The most likely rows of a class</h2>
      <ChooseClass
        label={`Class of ${model.target}`}
        names={classes.map((one) => one.name)}
        chosen={chosen}
        onChoose={choose}
      />
      <Loading loaded={loaded} what="the ranked list" retry={reload}>
        {({ file, rows, firstRows }) => (
          <>
            <FirstRows
              result={result}
              rows={firstRows}
              label={`The rows with the highest probability of “${chosen}”`}
            />
            <button type="button" class="spaced" onClick={() => saveFile(file, name)}>
              Download {count(rows, 'row')}, the most likely first
            </button>
          </>
        )}
      </Loading>
    </>
  );
}
