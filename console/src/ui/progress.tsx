import { useEffect, useState } from 'preact/hooks';
import { duration, percent } from './format.js';

/** A progress bar with its percentage, and the time left at the present speed. */
export function Progress({ label, share }: { label: string; share: number }) {
  const [began] = useState(() => ({ at: performance.now(), share }));
  const [now, setNow] = useState(began.at);
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const done = share - began.share;
  const left = done > 0.02 ? ((now - began.at) / 1000 / done) * (1 - share) : undefined;
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
