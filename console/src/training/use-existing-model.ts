import { useEffect, useState } from 'preact/hooks';
import type { Model } from 'roster-client';
import { isName } from './model-name.js';
import { readModel } from './read-model.js';

const TYPING_MS = 300;

/**
 * Returns the model that has a name already, a moment after the name was typed.
 * @param known a model that was read before
 */
export function useExistingModel(project: string, name: string, known: Model | undefined): Model | undefined {
  const [found, setFound] = useState(known);
  useEffect(() => {
    if (found?.name === name || !isName(name)) return;
    const aborter = new AbortController();
    const look = async () => {
      try {
        const read = await readModel(project, name, aborter.signal);
        if (!aborter.signal.aborted) setFound(read);
      } catch {
        // It is only a hint: a service that does not answer shows elsewhere.
      }
    };
    const timer = setTimeout(look, TYPING_MS);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [project, name]);
  // Until the answer is here, the model is that of another name.
  return found?.name === name ? found : undefined;
}
