import { onTestFinished, vi } from 'vitest';

/**
 * Stops the timers of this process, and the clock that they go by, until the test has finished: what waits for a time
 * waits until `vi.advanceTimersByTime`, however long the machine takes for the rest. The time of day goes on.
 */
export function stopClock(): void {
  const timers = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const;
  vi.useFakeTimers({ toFake: [...timers, 'performance'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
}
