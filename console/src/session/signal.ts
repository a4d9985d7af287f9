import { useEffect, useState } from 'preact/hooks';

/** A value outside of components that renders its readers again when it changes. */
export interface Signal<T> {
  get(): T;
  set(value: T): void;
  subscribe(listener: () => void): () => void;
}

export function signal<T>(initial: T): Signal<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Returns the value of a signal, and renders again when it changes. */
export function useSignal<T>(source: Signal<T>): T {
  const [value, setValue] = useState(source.get);
  useEffect(() => {
    const follow = () => setValue(() => source.get());
    follow();
    return source.subscribe(follow);
  }, [source]);
  return value;
}
