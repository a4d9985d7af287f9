import { ConnectionBanner } from './connection-banner.js';
import { KeyDialog } from './key/key-dialog.js';
import { ProjectSwitcher } from './project-switcher.js';
import { href, type Route, useRoute } from './router/route.js';
import { baseUrl } from './session/roster.js';
import { capitalized } from './ui/format.js';
import { viewOf } from './views.js';

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
      <div key={route.segments.join('/')}>{viewOf(route)}</div>
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
