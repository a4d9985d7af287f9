import { useEffect } from 'preact/hooks';
import { signal, useSignal } from '../session/signal.js';

const announcement = signal('');

/** The time that something takes before it is announced, in milliseconds. */
const SLOW = 700;

/** Has screen readers say something that the page shows elsewhere. */
export function announce(text: string): void {
  announcement.set(text);
}

/** Has screen readers say what the page waits for, if it waits long enough for somebody to wonder. */
export function useWaitAnnouncement(text: string | undefined): void {
  useEffect(() => {
    if (text === undefined) return;
    const timer = setTimeout(() => announce(text), SLOW);
    return () => {
      clearTimeout(timer);
      if (announcement.get() === text) announce('');
    };
  }, [text]);
}

/** The place of announcements, which the page has from its start: a region that comes with its text is not read. */
export function Announcements() {
  return (
    <p class="visually-hidden" role="status">
      {useSignal(announcement)}
    </p>
  );
}
