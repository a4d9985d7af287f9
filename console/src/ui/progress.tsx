import { useEffect, useRef, useState } from 'preact/hooks';
import { useRescuedFocus } from '../session/use-rescued-focus.js';
import { duration, percent } from './format.js';

/**
 * A progress bar with its percentage, and the time left.
 * @param secondsLeft what is left, if somebody knows; else it is estimated from the pace since the bar was shown
 */
export function Progress({
  label,
  share,
  secondsLeft = null,
}: {
  label: string;
  share: number;
  secondsLeft?: number | null;
}) {
  const left = useCountdown(share, secondsLeft);
  return (
    <div class="progress">
      <p>
        {label}: {percent(share)}
        {left !== undefined && share < 1 && ` · about ${duration(left)} left`}
      </p>
      <progress value={share} max={1} aria-label={label} />
    </div>
  );
}

/** Shows a running task and its progress, with a button that cancels it. An unknown share has no bar. */
export function RunningNotice({
  label,
  share,
  cancel,
}: {
  label: string;
  share: number | undefined;
  cancel: () => void;
}) {
  const button = useRescuedFocus<HTMLButtonElement>();
  return (
    <div class="notice">
      {share === undefined ? (
        <p class="waiting" role="status">
          {label} …
        </p>
      ) : (
        <Progress label={label} share={share} />
      )}
      <button type="button" ref={button} onClick={cancel}>
        Cancel
      </button>
    </div>
  );
}

/** Before so much was done in sight, the pace says little. */
const TELLING_SHARE = 0.02;

/**
 * Returns the seconds left. They only ever fall: while an estimate is longer than what was shown, that
 * stands still.
 */
function useCountdown(share: number, known: number | null): number | undefined {
  const [began] = useState(() => ({ at: performance.now(), share }));
  const [now, setNow] = useState(began.at);
  const [end, setEnd] = useState<number>();
  const shown = useRef(Number.POSITIVE_INFINITY);
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    const at = performance.now();
    const done = share - began.share;
    const pace = done > TELLING_SHARE ? (at - began.at) / done : undefined;
    const left = known === null ? pace && pace * (1 - share) : 1000 * known;
    if (left === undefined) return;
    setEnd(at + left);
    setNow(at);
  }, [share, known]);
  if (end === undefined) return undefined;
  shown.current = Math.min(shown.current, Math.max(0, (end - now) / 1000));
  return shown.current;
}
