import type { ComponentChildren } from 'preact';
import type { Loaded } from '../session/use-loaded.js';
import { useWaitAnnouncement } from './announce.js';
import { ErrorNotice } from './error-notice.js';

/** Shows a value of the service once it is there; until then, what the page waits for. */
export function Loading<T>({
  loaded,
  what,
  retry,
  children,
}: {
  loaded: Loaded<T>;
  /** The subject of the loading, such as "the models". */
  what: string;
  retry: () => void;
  children: (value: T) => ComponentChildren;
}) {
  useWaitAnnouncement(loaded.state === 'loading' ? `Loading ${what}` : undefined);
  if (loaded.state === 'loading') return <p class="waiting">Loading {what} …</p>;
  if (loaded.state === 'failed') return <ErrorNotice error={loaded.error} retry={retry} />;
  return (
    <>
      {loaded.error !== undefined && <ErrorNotice error={loaded.error} retry={retry} />}
      {children(loaded.value)}
    </>
  );
}
