import { useId, useState } from 'preact/hooks';
import { readPage } from 'roster-client';
import { KeyDialog } from './key/key-dialog.js';
import { href, type Route, useRoute } from './router/route.js';
import { connection } from './session/connection.js';
import { baseUrl, roster } from './session/roster.js';
import { useSignal } from './session/signal.js';
import { useLoaded } from './session/use-loaded.js';
import { Announcements } from './ui/announce.js';
import { capitalized, count } from './ui/format.js';
import { Loading } from './ui/loading.js';
import { UndoBar } from './ui/undo-bar.js';
import { chooseView } from './views.js';

/** The page: its header, and the view that the address selects. */
export function App() {
  const route = useRoute();
  return (
    <>
      <button type="button" class="skip" onClick={() => document.querySelector('h1')?.focus()}>
        Skip to the content
      </button>
      <header>
        <a class="name" href={href([])}>
          <img src={`${baseUrl}/docs/icon.svg`} alt="" width="22" height="22" />
          Roster
        </a>
        <ProjectLinks route={route} />
        <nav class="aside" aria-label="Service">
          <a href={href(['key'])} aria-current={current(route, ['key'])}>
            Key
          </a>
          <a href={`${baseUrl}/connect`}>Connect</a>
          <a href={`${baseUrl}/docs`}>Reference</a>
        </nav>
      </header>
      <ConnectionBanner />
      <Announcements />
      <UndoBar />
      <div key={route.segments.join('/')}>{chooseView(route)}</div>
      <KeyDialog />
    </>
  );
}

const KINDS = ['models', 'skills', 'agents', 'chatbots'];

/** The project that the view belongs to, a choice of another, and links to its lists. */
function ProjectLinks({ route }: { route: Route }) {
  const [first, project = 'default', kind = 'models'] = route.segments;
  if (first === 'projects' && route.segments.length === 1) return null;
  const shown = KINDS.find((name) => name === kind) ?? 'models';
  return (
    <>
      <ProjectSwitcher key={route.segments.join('/')} project={project} kind={shown} />
      <nav class="kinds" aria-label={`Project ${project}`}>
        {KINDS.map((name) => (
          <a
            key={name}
            href={href(['projects', project, name])}
            aria-current={first === 'projects' && name === kind ? 'page' : undefined}
          >
            {capitalized(name)}
          </a>
        ))}
      </nav>
    </>
  );
}

function current({ segments }: Route, wanted: readonly string[]) {
  return segments.join('/') === wanted.join('/') ? 'page' : undefined;
}

/** Says that the connection is lost, or that the service is busy; nothing while all is well. */
function ConnectionBanner() {
  const current = useSignal(connection);
  return (
    <div class="banner-place" role="status">
      {current.state === 'lost' && (
        <p class="banner">
          <strong>The service does not answer.</strong> This page tries again.
        </p>
      )}
      {current.state === 'busy' && (
        <p class="banner">
          <strong>The service is busy.</strong> Try again in {count(current.seconds, 'second')}.
        </p>
      )}
    </div>
  );
}

/** The most projects to name; the view of projects finds the others. */
const MAX_NAMED = 12;

/** The name of the project that the page shows, which opens a list of the others. */
function ProjectSwitcher({ project, kind }: { project: string; kind: string }) {
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
    (signal) => readPage((query) => roster.GET('/projects', { params: { query }, signal }), { limit: MAX_NAMED }),
    [],
  );
  return (
    <nav aria-label="Projects">
      <Loading loaded={loaded} what="the projects" retry={reload}>
        {({ items }) => (
          <ul class="plain">
            {items.map(({ name }) => (
              <li key={name}>
                <a href={href(['projects', name, kind])} aria-current={name === project ? 'true' : undefined}>
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
