import { type ComponentChildren, Fragment } from 'preact';
import { useLoaded } from '../session/use-loaded.js';
import { Loading } from './loading.js';

/**
 * A part of a page whose code is loaded when it is opened.
 * @param load imports the file with its components
 * @param isPage whether it is a page of its own, which has its own `main`
 */
export function Later<Views>({
  load,
  isPage = false,
  children,
}: {
  load: () => Promise<Views>;
  isPage?: boolean;
  children: (views: Views) => ComponentChildren;
}) {
  const { loaded, reload } = useLoaded(load, []);
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
