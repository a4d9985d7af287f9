import { useState } from 'preact/hooks';

/** Does what someone asked for: keeps whether it is under way, and the error that it ended with. */
export function useAttempt() {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  /** Resolves when the work has ended, however it did. */
  const attempt = async (work: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await work();
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, error, attempt };
}
