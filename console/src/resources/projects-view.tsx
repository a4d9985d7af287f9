import { forms } from 'virtual:contract-forms';
import { useState } from 'preact/hooks';
import { answered, type components, type Project } from 'roster-client';
import { href } from '../router/route.js';
import { useList } from '../session/read-list.js';
import { removed } from '../session/removed.js';
import { roster } from '../session/roster.js';
import { ConfirmDelete } from '../ui/confirm-delete.js';
import { time } from '../ui/format.js';
import { View } from '../ui/view.js';
import { createDraft, fieldNames, newValues } from './form/draft.js';
import { ResourceForm } from './form/form.js';
import { type Column, ifMatch, toBody } from './kind.js';
import { List } from './list.js';
import { Outcome } from './outcome.js';
import { storedOrNull } from './stored.js';

type NewProject = components['schemas']['CreateProjectBody']['project'];

const COLUMNS: readonly Column<Project>[] = [
  { head: 'Name', text: ({ name }) => name, href: ({ name }) => href(['projects', name]) },
  { head: 'Created', text: ({ created_at }) => time(created_at), isMinor: true },
];

/** The projects, and a form for a new one. */
export function ProjectsView() {
  const blank = createDraft(forms.project, null);
  const [draft, setDraft] = useState(blank);
  const [done, setDone] = useState('');
  const list = useList((signal) => (query) => roster.GET('/projects', { params: { query }, signal }), []);
  const remove = async ({ id, name }: Project) => {
    const path = { project_name: name };
    const now = await storedOrNull(roster.GET('/projects/{project_name}', { params: { path } }));
    // Another project can have got the name meanwhile.
    if (now?.value.id === id) {
      const header = ifMatch(now.etag);
      await removed(roster.DELETE('/projects/{project_name}', { params: { path, header } }));
    }
    setDone(`The project ${name} is deleted.`);
    list.reload();
  };
  return (
    <View title="Projects">
      <p class="faint lead">A project contains models, skills, agents and chatbots. Names are unique within it.</p>
      <Outcome done={done} />
      <List
        list={list}
        one="project"
        many="projects"
        columns={COLUMNS}
        empty={<p>There is no project yet. Create the first one below.</p>}
        action={(project) => (
          <ConfirmDelete
            what={`the project ${project.name}`}
            consequences="Only an empty project can be deleted. If it is not empty, you see what it contains."
            remove={() => remove(project)}
          />
        )}
      />
      <h2>New project</h2>
      <ResourceForm
        name="project"
        project=""
        draft={draft}
        submitLabel="Create the project"
        busyLabel="Creating …"
        onDraft={setDraft}
        onSubmit={async () => {
          const { values, faults } = newValues(forms.project, draft, fieldNames(forms.project));
          if (Object.keys(faults).length > 0) return faults;
          const body = { project: toBody<NewProject>(values) };
          const { name } = await answered(roster.POST('/projects', { body }));
          setDraft(blank);
          setDone(`The project ${name} is created.`);
          list.reload();
          return {};
        }}
      />
    </View>
  );
}
