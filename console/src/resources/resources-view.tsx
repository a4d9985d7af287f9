import { useMemo } from 'preact/hooks';
import { href } from '../router/route.js';
import { useList } from '../session/read-list.js';
import { capitalized } from '../ui/format.js';
import { View } from '../ui/view.js';
import { AGENTS } from './agents.js';
import { CHATBOTS } from './chatbots.js';
import { Prose } from './form/prose.js';
import type { Kind, Resource } from './kind.js';
import { List } from './list.js';
import { Outcome } from './outcome.js';
import { SKILLS } from './skills.js';

export function ResourcesView({ project, kind }: { project: string; kind: string }) {
  if (kind === 'skills') return <KindView project={project} kind={SKILLS} />;
  if (kind === 'agents') return <KindView project={project} kind={AGENTS} />;
  if (kind === 'chatbots') return <KindView project={project} kind={CHATBOTS} />;
  return (
    <View title="Not found">
      <p>
        A project has models, skills, agents and chatbots, but no “{kind}”.{' '}
        <a href={href(['projects', project])}>Go to the models</a>
      </p>
    </View>
  );
}

function KindView<R extends Resource>({ project, kind }: { project: string; kind: Kind<R> }) {
  const { name, plural, purpose, next } = kind;
  const list = useList((signal) => kind.list(project, signal), [project, plural]);
  const columns = useMemo(() => kind.columns(project), [kind, project]);
  const create = (
    <a class="button primary" href={href(['projects', project, plural, '~new'])}>
      New {name}
    </a>
  );
  const isEmpty = list.isComplete && list.items.length === 0;
  return (
    <View title={capitalized(plural)} actions={isEmpty ? undefined : create}>
      <Outcome />
      <List
        list={list}
        one={name}
        many={plural}
        columns={columns}
        empty={
          <div class="empty">
            <p>
              <strong>No {plural} yet.</strong> {purpose}
            </p>
            <p class="faint">
              <Prose text={next} />
            </p>
            {create}
          </div>
        }
      />
    </View>
  );
}
