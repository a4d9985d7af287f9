/**
 * Runs in the browser on the page `/docs`: renders the contract with Swagger UI, adds what screen readers
 * need and it leaves out, filters the menu of operations, and opens what a link names.
 */
import { adaptedContract, operationsLayout, replacedComponents, withoutAuthorize } from './swagger-plugins.js';

// The service is compiled without browser types, so that it cannot use them by mistake.
interface Element {
  hidden: boolean;
  value: string;
  readonly textContent: string;
  readonly dataset: Readonly<Record<string, string | undefined>>;
  readonly classList: { toggle(name: string, on: boolean): void };
  addEventListener(type: 'input' | 'click', listener: () => void): void;
  closest(selector: string): Element | null;
  focus(options: { preventScroll: boolean }): void;
  hidePopover(): void;
  querySelector(selector: string): Element | null;
  querySelectorAll(selector: string): Iterable<Element>;
  removeAttribute(name: string): void;
  scrollIntoView(): void;
  setAttribute(name: string, value: string): void;
}

interface MediaQuery {
  readonly matches: boolean;
  addEventListener(type: 'change', listener: () => void): void;
}

declare const document: Pick<Element, 'querySelector'> & { readonly documentElement: Element };
declare const location: { readonly hash: string; readonly hostname: string };
declare const MutationObserver: new (
  callback: () => void,
) => { observe(target: Element, options: { childList: boolean; subtree: boolean }): void };
declare function addEventListener(type: 'hashchange', listener: () => void): void;
declare function matchMedia(query: string): MediaQuery;
declare function requestAnimationFrame(callback: () => void): void;
declare const SwaggerUIBundle: {
  (
    options: Readonly<Record<string, unknown>>,
  ): { readonly layoutActions: { show(thing: readonly string[], on: boolean): void } };
  readonly presets: { readonly apis: unknown };
};

const reference = document.querySelector('#reference');

/** A service that listens on the loopback address may still be behind a public proxy. */
const isSeenHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(location.hostname);
const isLocal = isSeenHere && reference?.dataset['service'] === 'local';

const note = document.querySelector(isLocal ? '#playground' : '#read-only');
if (note) note.hidden = false;

const dark = matchMedia('(prefers-color-scheme: dark)');
const followColours = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followColours);
followColours();

if (reference) {
  const observer = new MutationObserver(() => nameFields(reference));
  observer.observe(reference, { childList: true, subtree: true });
}

const { layoutActions } = SwaggerUIBundle({
  url: './openapi.json',
  dom_id: '#reference',
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [...[adaptedContract, operationsLayout, replacedComponents], ...(isLocal ? [] : [withoutAuthorize])],
  layout: 'OperationsLayout',
  // Separate colours would need contrast in light and dark.
  syntaxHighlight: { activated: false },
  ...(isLocal ? {} : { supportedSubmitMethods: [] }),
  // The key stays in the page's memory, and no third-party validator gets the contract.
  persistAuthorization: false,
  validatorUrl: null,
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
});

const menu = document.querySelector('#menu');
if (menu) startMenu(menu);

/** Names the fields that have no label. */
function nameFields(root: Element): void {
  const unnamed = 'select:not([aria-label]), textarea:not([aria-label])';
  for (const field of root.querySelectorAll(unnamed)) {
    const parameter = field.closest('tr')?.querySelector('.parameter__name')?.textContent;
    const other = field.closest('.body-param') ? 'Body' : 'Example';
    field.setAttribute('aria-label', parameter ?? other);
  }
  // Landmarks have their own names, and a table is none.
  for (const table of root.querySelectorAll('table[role=region]')) table.removeAttribute('role');
}

/** Makes the menu work: its search field, and its links once the operations are there. */
function startMenu(menu: Element): void {
  const field = menu.querySelector('#find');
  const label = menu.querySelector('label');
  if (!field || !label) return;
  field.hidden = label.hidden = false;
  field.addEventListener('input', () => filterMenu(menu, field.value));
  for (const link of menu.querySelectorAll('a')) {
    link.addEventListener('click', () => menu.hidePopover());
  }
  // Swagger UI reads the address only when the page is loaded.
  addEventListener('hashchange', openOperation);
  // It scrolls smoothly to other parts of the page, without an event of the address.
  menu.querySelector('[href="#tour"]')?.addEventListener('click', openTour);
  // It has put a slash into the address of the page by now.
  if (/^#\/?tour$/.test(location.hash)) openTour();
}

/** Hides the operations, and the tags without any, that do not have all words. */
function filterMenu(menu: Element, text: string): void {
  const words = text.toLowerCase().split(/\s+/);
  for (const section of menu.querySelectorAll('section')) {
    section.hidden = true;
    for (const item of section.querySelectorAll('li')) {
      item.hidden = !words.every((word) => item.dataset['find']?.includes(word));
      if (!item.hidden) section.hidden = false;
    }
  }
}

function openTour(): void {
  const tour = document.querySelector('#tour');
  tour?.setAttribute('open', '');
  tour?.scrollIntoView();
}

function openOperation(): void {
  const [, tag, id] = /^#\/(\w+)\/(\w+)$/.exec(location.hash) ?? [];
  if (tag === undefined || id === undefined) return;
  layoutActions.show(['operations-tag', tag], true);
  layoutActions.show(['operations', tag, id], true);
  requestAnimationFrame(() => {
    const operation = document.querySelector(`#operations-${tag}-${id}`);
    operation?.scrollIntoView();
    operation?.querySelector('.opblock-summary-control')?.focus({ preventScroll: true });
  });
}
