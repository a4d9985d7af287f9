import { answered, type components, ProblemError, type Skill } from 'roster-client';
import { readVersions } from '../models/versions/read-versions.js';
import { href } from '../router/route.js';
import { roster } from '../session/roster.js';
import { useLoaded } from '../session/use-loaded.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { count } from '../ui/format.js';
import { Loading } from '../ui/loading.js';
import { Select } from '../ui/select.js';
import { Choose } from './form/choose.js';
import { CHANGED, type Choice, ifMatch, type Kind, type MemberProps, nameColumn, toBody } from './kind.js';
import { NameLinks } from './name-links.js';

type Schemas = components['schemas'];

const LIST = '/projects/{project_name}/skills';
const ONE = '/projects/{project_name}/skills/{skill_name}';

const TYPES_WITH_DOCUMENTS = ['retrieval', 'knowledge_base'];

/** Skills: their requests, and what the console says of them. */
export const SKILLS: Kind<Skill> = {
  name: 'skill',
  plural: 'skills',
  purpose: 'A skill is something that agents can do, such as predicting with a model or reading a database.',
  next: 'Begin with the type `model`, if the project has a model, or with `knowledge_base` for documents.',
  columns: (project) => [
    nameColumn(project, 'skills'),
    { head: 'Type', text: ({ type }) => type },
    { head: 'Used by', text: ({ agent_ids }) => (agent_ids.length > 0 ? count(agent_ids.length, 'agent') : '–') },
    CHANGED,
  ],
  choices: {},
  memberControls: { 'params.model': ModelControl, 'params.version': VersionControl },
  leftOut: [],
  address: ({ id }) => id,
  list: (project, signal) => (query) =>
    roster.GET(LIST, { params: { path: { project_name: project }, query }, signal }),
  get: (project, name, signal) =>
    roster.GET(ONE, { params: { path: { project_name: project, skill_name: name } }, ...(signal && { signal }) }),
  create: (project, values) =>
    roster.POST(LIST, {
      params: { path: { project_name: project } },
      body: { skill: toBody<Schemas['CreateSkillBody']['skill']>(values) },
    }),
  update: (project, name, etag, values) =>
    roster.PUT(ONE, {
      params: { path: { project_name: project, skill_name: name }, header: ifMatch(etag) },
      body: { skill: toBody<Schemas['UpdateSkillBody']['skill']>(values) },
    }),
  remove: (project, name, etag) =>
    roster.DELETE(ONE, { params: { path: { project_name: project, skill_name: name }, header: ifMatch(etag) } }),
  views: (project, { name, type }) =>
    TYPES_WITH_DOCUMENTS.includes(type)
      ? [{ href: href(['projects', project, 'skills', name, 'documents']), text: 'Documents' }]
      : [],
  Users: ({ project, resource }) => <SkillUsers project={project} ids={resource.agent_ids} />,
  Consequences({ project, resource }) {
    if (resource.agent_ids.length === 0) return <>No agent uses it.</>;
    return (
      <>
        {count(resource.agent_ids.length, 'agent')} can no longer use it:{' '}
        <SkillUsers project={project} ids={resource.agent_ids} />
      </>
    );
  },
};

/** The most agents to name; the others are counted. */
const MAX_NAMED = 10;

/** The names of the agents that use a skill, of which the skill knows the identifiers. */
function SkillUsers({ project, ids }: { project: string; ids: readonly string[] }) {
  const named = ids.slice(0, MAX_NAMED);
  const { loaded, reload } = useLoaded(
    (signal) => Promise.all(named.map((id) => nameOfAgent(project, id, signal))),
    [project, ...named],
  );
  if (ids.length === 0) return <>no agent</>;
  return (
    <Loading loaded={loaded} what="the agents" retry={reload}>
      {(names) => (
        <NameLinks
          project={project}
          kind="agents"
          names={names.filter((name) => name !== null)}
          more={ids.length - named.length}
        />
      )}
    </Loading>
  );
}

/** Returns the name of an agent, or null if it was deleted meanwhile. */
async function nameOfAgent(project: string, id: string, signal: AbortSignal) {
  const path = { project_name: project, agent_name: id };
  try {
    const call = roster.GET('/projects/{project_name}/agents/{agent_name}', { params: { path }, signal });
    return (await answered(call)).name;
  } catch (error) {
    if (error instanceof ProblemError && error.problem.status === 404) return null;
    throw error;
  }
}

const MODELS: Choice = {
  label: 'Model',
  what: 'models',
  list: (project, signal) => (query) =>
    roster.GET('/api/projects/{projectName}/models', { params: { path: { projectName: project }, query }, signal }),
};

/** The model of a skill, of all that the project has. */
function ModelControl({ control, project, value, isBusy, onChange }: MemberProps) {
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
function VersionControl({ control, project, value, object, isBusy, onChange }: MemberProps) {
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
