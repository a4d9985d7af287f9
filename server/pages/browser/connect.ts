/**
 * Runs in the browser on the page `/connect`: puts the address of this service and a project into what is to be pasted,
 * and the key of this tab if asked, and adds buttons that copy it.
 */

// The service is compiled without browser types, so that it cannot use them by mistake.
interface Element {
  textContent: string;
  className: string;
  type: string;
  value: string;
  checked: boolean;
  addEventListener(type: 'click' | 'input', listener: () => void): void;
  append(...children: (Element | string)[]): void;
  after(...children: Element[]): void;
}

declare const document: { createElement(name: string): Element; querySelectorAll(selector: string): Iterable<Element> };
declare const location: { readonly href: string; readonly search: string };
declare const sessionStorage: { getItem(name: string): string | null };
declare function getSelection(): { selectAllChildren(parent: Element): void } | null;
declare const navigator: { readonly clipboard: { writeText(text: string): Promise<void> } };

/** The texts of the documentation that stand for the address of the service, and for a key. */
const ADDRESS = 'http://127.0.0.1:4000/mcp';
const KEY = /\$ROSTER_KEY|\$\{(env:)?ROSTER_KEY\}|\$\{input:roster-key\}/g;

/** A name of a project; a link could have any text, and a shell would run what is pasted. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/;

function make(name: string, facts: Partial<Element> = {}): Element {
  return Object.assign(document.createElement(name), facts);
}

const asked = new URLSearchParams(location.search).get('project');
const project = make('input', { type: 'text', value: asked !== null && NAME.test(asked) ? asked : 'default' });
const withKey = make('input', { type: 'checkbox' });
const key = readKey();

/** The key that the console keeps for this tab, if its user has chosen so. */
function readKey(): string | null {
  try {
    return sessionStorage.getItem('roster-key');
  } catch {
    return null;
  }
}

const blocks = [...document.querySelectorAll('code')].map((code) => ({ code, text: code.textContent }));

function fill(): void {
  // bounded: the address of the page
  const base = location.href.replace(/\/connect([?#].*)?$/, '');
  const name = NAME.test(project.value) ? project.value : 'default';
  const address = `${base}/mcp${name === 'default' ? '' : `/${name}`}`;
  for (const { code, text } of blocks) {
    const filled = text.replaceAll(ADDRESS, address);
    code.textContent = withKey.checked && key ? filled.replace(KEY, () => key) : filled;
  }
}

const [heading] = document.querySelectorAll('h1');
const choices = make('p', { className: 'choices' });
const label = (words: string, control: Element) => {
  const made = make('label');
  if (control.type === 'checkbox') made.append(control, ` ${words}`);
  else made.append(`${words} `, control);
  return made;
};
choices.append(label('Project', project));
if (key) choices.append(label('Put in the key of this tab', withKey));
heading?.after(choices);
for (const control of [project, withKey]) control.addEventListener('input', fill);
fill();

for (const pre of document.querySelectorAll('pre')) {
  const copy = make('button', { type: 'button', textContent: 'Copy' });
  copy.addEventListener('click', () => {
    navigator.clipboard.writeText(pre.textContent).then(
      () => {
        copy.textContent = 'Copied';
      },
      () => {
        // Browsers lend the clipboard to secure pages only.
        getSelection()?.selectAllChildren(pre);
        copy.textContent = 'Selected: press Ctrl+C';
      },
    );
  });
  const actions = make('p', { className: 'copy' });
  actions.append(copy);
  pre.after(actions);
}
