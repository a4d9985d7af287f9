import type { ComponentChildren, RefObject } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

/** A modal dialog. The browser keeps the focus in it, and Escape closes it. */
export function Dialog({
  title,
  focus,
  onClose,
  children,
}: {
  title: string;
  /** The control that gets the focus; without it, the first one. */
  focus?: RefObject<HTMLElement | null>;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    dialog.current?.showModal();
    focus?.current?.focus();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}
