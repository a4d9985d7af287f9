import { useEffect, useRef, useState } from 'preact/hooks';

/**
 * Does what someone asked for: keeps whether it is under way, and the error that it ended with. Where something else is
 * asked for meanwhile, both are those of the newest work.
 */
export function useAttempt() {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const newest = useRef({});
  useEffect(
    () => () => {
      newest.current = {};
    },
    [],
  );
  /**
   * Resolves when the work has ended, however it did.
   * @param work gets a function that returns whether nothing newer was asked for, and the component is still there
   */
  const attempt = async (work: (isNewest: () => boolean) => Promise<unknown>): Promise<void> => {
    const own = {};
    const isNewest = () => newest.current === own;
    newest.current = own;
    setBusy(true);
    setError(null);
    try {
      await work(isNewest);
    } catch (reason) {
      if (isNewest()) setError(reason);
    } finally {
      if (isNewest()) setBusy(false);
    }
  };
  return { isBusy, error, attempt };
}
