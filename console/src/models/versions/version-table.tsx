import type { Model } from 'roster-client';
import { href } from '../../router/route.js';
import { ConfirmDelete } from '../../ui/confirm-delete.js';
import { finePercent, rounded, time, whole } from '../../ui/format.js';
import { targetUnit } from '../../ui/units.js';
import { deleteVersion } from '../change-model.js';

/** The versions of a model, with what can be done with each. */
export function VersionTable({
  project,
  versions,
  serving,
  onServe,
  onDeleted,
}: {
  project: string;
  versions: readonly Model[];
  serving: number | null;
  onServe: (version: number) => void;
  onDeleted: () => void;
}) {
  return (
    <table class="versions">
      <thead>
        <tr>
          <th scope="col">Version</th>
          <th scope="col">State</th>
          <th scope="col">Trained</th>
          <th scope="col" class="num">
            Rows
          </th>
          <th scope="col">Quality</th>
          <th scope="col">Actions</th>
        </tr>
      </thead>
      <tbody>
        {versions.map((model) => {
          const { name, version, status } = model;
          const address = href(['projects', project, 'models', name], { version: String(version) });
          return (
            <tr key={version}>
              <th scope="row">{status === 'ready' ? <a href={address}>Version {version}</a> : `Version ${version}`}</th>
              <td data-label="State">
                {version === serving ? <strong class="serves">Answers predictions</strong> : describeState(model)}
              </td>
              <td data-label="Trained">{time(model.updated_at)}</td>
              <td class="num" data-label="Rows">
                {whole(model.row_count)}
              </td>
              <td data-label="Quality">{writeHeadline(model)}</td>
              <td>
                <div class="actions">
                  {status === 'ready' && version !== serving && (
                    <button type="button" onClick={() => onServe(version)}>
                      Make version {version} serve
                    </button>
                  )}
                  {status !== 'training' && version !== serving && versions.length > 1 && (
                    <ConfirmDelete
                      what={`version ${version}`}
                      consequences="Programs that name this version will get an error. The other versions stay. This cannot be undone."
                      remove={async () => {
                        await deleteVersion({ projectName: project, modelName: name }, version);
                        onDeleted();
                      }}
                    />
                  )}
                </div>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function describeState({ status, failure }: Model): string {
  if (status === 'training') return 'Training';
  return status === 'failed' ? `Failed: ${failure}` : 'Ready';
}

function writeHeadline(model: Model): string {
  if (model.metrics === null) return '–';
  if (model.task === 'classification') return `Accuracy ${finePercent(model.metrics.accuracy)}`;
  const { mae } = model.task === 'regression' ? model.metrics : model.metrics.errors;
  return `Off by ${rounded(mae, targetUnit(model))} on average`;
}
