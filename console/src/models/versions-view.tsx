import { useState } from 'preact/hooks';
import type { Model } from 'roster-client';
import { useAttempt } from '../session/use-attempt.js';
import { useLoaded } from '../session/use-loaded.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { Loading } from '../ui/loading.js';
import { SelectField } from '../ui/select.js';
import { setServing } from './change-model.js';
import { ModelFrame } from './model-frame.js';
import { readVersions } from './versions/read-versions.js';
import { VersionComparison } from './versions/version-comparison.js';
import { VersionTable } from './versions/version-table.js';

/** The versions of a model: a table, and a comparison of two. */
export function VersionsView({ project, model }: { project: string; model: string }) {
  return (
    <ModelFrame project={project} model={model} tab="versions" always>
      {(_, reload, newest) => <Versions project={project} newest={newest} onChange={reload} />}
    </ModelFrame>
  );
}

function Versions({ project, newest, onChange }: { project: string; newest: Model; onChange: () => void }) {
  const { name, version, status, serving_version: serving } = newest;
  const path = { projectName: project, modelName: name };
  const { loaded, reload } = useLoaded(
    (signal) => readVersions(path, signal),
    [project, name, version, status, serving ?? 0],
  );
  const [chosen, setChosen] = useState<readonly [number, number] | null>(null);
  const [served, setServed] = useState('');
  const { error, attempt } = useAttempt();
  const set = async (change: Parameters<typeof setServing>[1], words: string) => {
    await attempt(async () => {
      setServed('');
      await setServing(path, change);
      setServed(words);
    });
    onChange();
  };
  return (
    <Loading loaded={loaded} what="the versions" retry={reload}>
      {(versions) => {
        const ready = versions.filter((each) => each.status === 'ready');
        return (
          <>
            {error !== null && <ErrorNotice error={error} />}
            <p role="status">{served}</p>
            <VersionTable
              project={project}
              versions={versions}
              serving={serving}
              onServe={(wanted) => set({ version: wanted }, `Version ${wanted} now answers predictions.`)}
              onDeleted={() => {
                reload();
                onChange();
              }}
            />
            <div class="compare-choice spaced">
              <PromotionField
                promotion={newest.promotion}
                onChange={(promotion) => set({ promotion }, 'The setting is saved.')}
              />
            </div>
            {ready.length > 1 && (
              <VersionComparison versions={ready} chosen={chosen ?? defaultPair(ready, serving)} onChoose={setChosen} />
            )}
          </>
        );
      }}
    </Loading>
  );
}

/** Returns the newest version but the serving one, and the one that serves, the older one first. */
function defaultPair(ready: readonly Model[], serving: number | null): readonly [number, number] {
  const other = ready.find(({ version }) => version !== serving)?.version ?? 0;
  const pair = [other, serving ?? ready.at(-1)?.version ?? 0] as const;
  return pair[0] < pair[1] ? pair : [pair[1], pair[0]];
}

type Promotion = Model['promotion'];

const CHOICES: readonly (readonly [Promotion, string])[] = [
  ['always', 'It answers predictions at once'],
  ['if_not_worse', 'It answers predictions if it is no worse'],
  ['manual', 'It waits until you let it answer'],
];

/** The setting of a model that says which new versions serve. */
function PromotionField({ promotion, onChange }: { promotion: Promotion; onChange: (promotion: Promotion) => void }) {
  return (
    <SelectField
      label="When a new version is ready"
      hint={
        promotion === 'if_not_worse'
          ? 'Both versions are compared on rows that neither was trained on. With fewer than 100, it waits.'
          : undefined
      }
      value={promotion}
      options={CHOICES}
      onChoose={onChange}
    />
  );
}
