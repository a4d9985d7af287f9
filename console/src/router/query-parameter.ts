import { useEffect, useState } from 'preact/hooks';
import { followAddress, parseRoute, type Route, replaceQuery } from './route.js';

/**
 * Returns a parameter of the address, and a function that changes it. The address follows without a
 * new entry in the history, so that "back" leads to the view as it was left.
 */
export function useQueryParameter(name: string): [string, (value: string) => void] {
  const [value, setValue] = useState(() => read(name));
  useEffect(() => followAddress(() => setValue(read(name))), [name]);
  const change = (next: string) => {
    setValue(next);
    const { segments, query } = current();
    const { [name]: _, ...others } = Object.fromEntries(query);
    try {
      replaceQuery(segments, next ? { ...others, [name]: next } : others);
    } catch {
      // Safari allows 100 changes of the address in 30 seconds; the next key stroke catches up.
    }
  };
  return [value, change];
}

const current = (): Route => parseRoute(location.hash);

const read = (name: string) => current().query.get(name) ?? '';
