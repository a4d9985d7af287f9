import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Returns the width of an element in CSS pixels, and renders again when it changes. */
export function useWidth<E extends Element>(): [RefObject<E | null>, number] {
  const element = useRef<E>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    setWidth(element.current.clientWidth);
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}
