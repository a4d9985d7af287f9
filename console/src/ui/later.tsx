import type { ComponentChildren } from 'preact';
import { useLoaded } from '../session/use-loaded.js';
import { Loading } from './loading.js';

/** The views whose code is loaded when they are opened. */
export type Views = typeof import('../later-views.js');

/** A view whose code is loaded when it is opened. */
export function Later({ children }: { children: (views: Views) => ComponentChildren }) {
  const { loaded, reload } = useLoaded(() => import('../later-views.js'), []);
  if (loaded.state === 'ready') return <>{children(loaded.value)}</>;
  return (
    <main>
      <Loading loaded={loaded} what="the page" retry={reload}>
        {() => null}
      </Loading>
    </main>
  );
}
