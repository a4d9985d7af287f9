import { type ComponentChildren, Fragment } from 'preact';
import { useLoaded } from '../session/use-loaded.js';
import { Loading } from './loading.js';

/** The views whose code is loaded when they are opened. */
export type Views = typeof import('../later-views.js');

/**
 * A part of a page whose code is loaded when it is opened.
 * @param isPage whether it is a page of its own, which has its own `main`
 */
export function Later({
  isPage = false,
  children,
}: {
  isPage?: boolean;
  children: (views: Views) => ComponentChildren;
}) {
  const { loaded, reload } = useLoaded(() => import('../later-views.js'), []);
  if (loaded.state === 'ready') return <>{children(loaded.value)}</>;
  const Frame = isPage ? 'main' : Fragment;
  return (
    <Frame>
      <Loading loaded={loaded} what="the page" retry={reload}>
        {() => null}
      </Loading>
    </Frame>
  );
}
