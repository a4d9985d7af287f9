import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Words } from '../plots/words.js';

/** The main part of a page, with its heading. A new view gets the focus, so that it is read aloud. */
export function View({
  title,
  part,
  up,
  actions,
  children,
}: {
  title: string;
  /** The part of the thing that it shows, such as a tab, for the title of the window. */
  part?: string | undefined;
  /** The view above this one. */
  up?: { readonly href: string; readonly text: string } | undefined;
  /** Buttons beside the heading. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = [part, title, 'Roster'].filter(Boolean).join(' · ');
  }, [title, part]);
  // Before somebody types: the focus would be taken from a field.
  useLayoutEffect(() => {
    // At the start of the page the focus is nowhere, and stays so.
    if (document.activeElement !== document.body || history.length > 1) {
      heading.current?.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
  }, [title]);
  return (
    <main>
      {up && (
        <p class="up">
          <a href={up.href}>‹ {up.text}</a>
        </p>
      )}
      <div class="heading">
        <h1 ref={heading} tabIndex={-1}>
          <Words name={title} />
        </h1>
        {actions && <div class="actions">{actions}</div>}
      </div>
      {children}
    </main>
  );
}
