/** Runs in the browser on the page `/docs`: adds what screen readers need and Swagger UI leaves out. */

interface Element {
  readonly textContent: string;
  closest(selector: string): Element | null;
  querySelector(selector: string): Element | null;
  querySelectorAll(selector: string): Iterable<Element>;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
}

declare const MutationObserver: new (
  callback: () => void,
) => { observe(target: Element, options: { childList: boolean; subtree: boolean }): void };

declare const document: Pick<Element, 'querySelector'>;

/** Names the fields below an element whenever some are added. */
export function keepNamed(selector: string): void {
  const root = document.querySelector(selector);
  if (!root) return;
  new MutationObserver(() => name(root)).observe(root, { childList: true, subtree: true });
}

function name(root: Element): void {
  for (const field of root.querySelectorAll(
    'select:not([aria-label]), textarea:not([aria-label])',
  )) {
    const parameter = field.closest('tr')?.querySelector('.parameter__name')?.textContent;
    field.setAttribute(
      'aria-label',
      parameter ?? (field.closest('.body-param') ? 'Body' : 'Example'),
    );
  }
  // Landmarks have names of their own, and a table is none.
  for (const table of root.querySelectorAll('table[role=region]')) table.removeAttribute('role');
}
