/** Runs in the browser on the page `/docs`: filters the menu of operations, and opens what a link names. */

interface Element {
  hidden: boolean;
  value: string;
  readonly dataset: Readonly<Record<string, string | undefined>>;
  addEventListener(type: 'input' | 'click', listener: () => void): void;
  hidePopover(): void;
  setAttribute(name: string, value: string): void;
  querySelector(selector: string): Element | null;
  querySelectorAll(selector: string): Iterable<Element>;
  scrollIntoView(): void;
  focus(options: { preventScroll: boolean }): void;
}

/** The part of Swagger UI that opens operations. */
export interface Layout {
  readonly layoutActions: { show(thing: readonly string[], on: boolean): void };
}

declare const document: Pick<Element, 'querySelector'>;
declare const location: { readonly hash: string };
declare const addEventListener: (type: 'hashchange', listener: () => void) => void;
declare const requestAnimationFrame: (callback: () => void) => void;

/** Makes the menu work: its search field, and its links once the operations are there. */
export function startMenu(layout: Layout): void {
  const menu = document.querySelector('#menu');
  const field = menu?.querySelector('#find');
  const label = menu?.querySelector('label');
  if (!menu || !field || !label) return;
  field.hidden = label.hidden = false;
  field.addEventListener('input', () => filter(menu, field.value));
  for (const link of menu.querySelectorAll('a')) {
    link.addEventListener('click', () => menu.hidePopover());
  }
  // Swagger UI reads the address only when the page is loaded.
  addEventListener('hashchange', () => openOperation(layout));
  // It scrolls smoothly to other parts of the page, without an event of the address.
  menu.querySelector('[href="#tour"]')?.addEventListener('click', openTour);
  // It has put a slash into the address of the page by now.
  if (/^#\/?tour$/.test(location.hash)) openTour();
}

/** Hides the operations, and the tags without any, that do not have all words. */
function filter(menu: Element, text: string): void {
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

function openOperation({ layoutActions }: Layout): void {
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
