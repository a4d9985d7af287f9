import { useEffect, useState } from 'preact/hooks';
import { ProblemError } from 'roster-client';
import { connection } from './connection.js';
import { key } from './key.js';
import { useSignal } from './signal.js';

/** The state of a value that is loaded: not there yet, a value, with the error of a later reload, or an error. */
export type Loaded<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly value: T; readonly address: string; readonly error?: unknown }
  | { readonly state: 'failed'; readonly error: unknown };

/**
 * Loads a value when a component appears, when `inputs` change, when the key changes, and when a
 * lost connection is back. A value stays until the next one is there, also if a reload fails, unless it no longer
 * exists: what was typed or is running below it must not be lost.
 * @param load gets a signal that is aborted when the value is no longer wanted
 */
export function useLoaded<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly (string | number)[],
): { readonly loaded: Loaded<T>; reload(): void } {
  const [loaded, setLoaded] = useState<Loaded<T>>({ state: 'loading' });
  const [round, setRound] = useState(0);
  const currentKey = useSignal(key);
  const isLost = useSignal(connection).state === 'lost';
  const address = inputs.join('\n');
  useEffect(() => {
    if (isLost) return;
    const aborter = new AbortController();
    const set = (next: (last: Loaded<T>) => Loaded<T>) => aborter.signal.aborted || setLoaded(next);
    load(aborter.signal).then(
      (value) => set(() => ({ state: 'ready', value, address })),
      (error: unknown) =>
        set((last) =>
          last.state === 'ready' && last.address === address && !isGone(error)
            ? { ...last, error }
            : { state: 'failed', error },
        ),
    );
    return () => aborter.abort();
  }, [address, currentKey, round, isLost]);
  return { loaded, reload: () => setRound((last) => last + 1) };
}

const isGone = (error: unknown) => error instanceof ProblemError && error.problem.status === 404;
