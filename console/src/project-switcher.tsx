import { useId, useState } from 'preact/hooks';
import { readPage } from 'roster-client';
import { href } from './router/route.js';
import { roster } from './session/roster.js';
import { useLoaded } from './session/use-loaded.js';
import { Loading } from './ui/loading.js';

/** The most projects to name; the view of projects finds the others. */
const MAX_NAMED = 12;

/** The name of the project that the page shows, which opens a list of the others. */
export function ProjectSwitcher({ project, kind }: { project: string; kind: string }) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  return (
    <div class="switcher">
      <button type="button" popovertarget={id} aria-label={`Project ${project}, choose another`}>
        {project}
      </button>
      <div id={id} popover="auto" onToggle={({ newState }) => setOpen(newState === 'open')}>
        {isOpen && <Projects project={project} kind={kind} />}
      </div>
    </div>
  );
}

function Projects({ project, kind }: { project: string; kind: string }) {
  const { loaded, reload } = useLoaded(
    (signal) =>
      readPage((query) => roster.GET('/projects', { params: { query }, signal }), {
        limit: MAX_NAMED,
      }),
    [],
  );
  return (
    <nav aria-label="Projects">
      <Loading loaded={loaded} what="the projects" retry={reload}>
        {({ items }) => (
          <ul class="plain">
            {items.map(({ name }) => (
              <li key={name}>
                <a
                  href={href(['projects', name, kind])}
                  aria-current={name === project ? 'true' : undefined}
                >
                  {name}
                </a>
              </li>
            ))}
          </ul>
        )}
      </Loading>
      <a class="all" href={href(['projects'])}>
        All projects
      </a>
    </nav>
  );
}
