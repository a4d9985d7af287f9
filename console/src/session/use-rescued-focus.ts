import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Gives an element the focus when it appears, if what had the focus has gone: it would be nowhere. */
export function useRescuedFocus<E extends HTMLElement>(): RefObject<E | null> {
  const element = useRef<E>(null);
  // Before the next key is pressed.
  useLayoutEffect(() => {
    if (document.activeElement === document.body) element.current?.focus();
  }, []);
  return element;
}
