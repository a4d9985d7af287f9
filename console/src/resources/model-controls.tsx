import { readVersions } from '../models/versions/read-versions.js';
import { roster } from '../session/roster.js';
import { useLoaded } from '../session/use-loaded.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { Select } from '../ui/select.js';
import { Choose } from './form/choose.js';
import type { Choice, MemberProps } from './kind.js';

const MODELS: Choice = {
  label: 'Model',
  what: 'models',
  list: (project, signal) => (query) =>
    roster.GET('/api/projects/{projectName}/models', {
      params: { path: { projectName: project }, query },
      signal,
    }),
};

/** The model of a skill, of all that the project has. */
export function ModelControl({ control, project, value, isBusy, onChange }: MemberProps) {
  return (
    <Choose
      control={control}
      project={project}
      choice={MODELS}
      chosen={typeof value === 'string' ? [value] : []}
      isMany={false}
      mayBeNone={false}
      isBusy={isBusy}
      // Another model has other versions.
      onChange={([model]) => onChange({ model, version: undefined })}
    />
  );
}

/** The version of the model of a skill. */
export function VersionControl({ control, project, value, object, isBusy, onChange }: MemberProps) {
  const modelName = typeof object['model'] === 'string' ? object['model'] : '';
  const { loaded, reload } = useLoaded(
    async (signal) => (modelName ? readVersions({ projectName: project, modelName }, signal) : []),
    [project, modelName],
  );
  const versions = loaded.state === 'ready' ? loaded.value.map(({ version }) => version) : [];
  const isKnown = value === undefined || versions.some((version) => version === value);
  return (
    <>
      <Select
        {...control}
        disabled={isBusy}
        value={value === undefined ? '' : String(value)}
        options={[
          ['', 'The version that serves'],
          ...(isKnown ? [] : [String(value)]),
          ...versions.map((version) => [String(version), `Version ${version}`] as const),
        ]}
        onChoose={(chosen) => onChange({ version: chosen === '' ? undefined : Number(chosen) })}
      />
      {loaded.state === 'failed' && <ErrorNotice error={loaded.error} retry={reload} />}
    </>
  );
}
