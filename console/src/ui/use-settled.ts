import { useEffect, useState } from 'preact/hooks';

/** The time for which a value stays as it is before it is settled, in milliseconds. */
const PAUSE_MS = 150;

/** Returns a value that people type or drag as it was when they last paused, so that not each step is asked for. */
export function useSettled<T extends string | number>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
