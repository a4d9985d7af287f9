import { connection } from './session/connection.js';
import { useSignal } from './session/signal.js';
import { count } from './ui/format.js';

/** Says that the connection is lost, or that the service is busy; nothing while all is well. */
export function ConnectionBanner() {
  const current = useSignal(connection);
  return (
    <div class="banner-place" role="status">
      {current.state === 'lost' && (
        <p class="banner">
          <strong>The service does not answer.</strong> This page tries again.
        </p>
      )}
      {current.state === 'busy' && (
        <p class="banner">
          <strong>The service is busy.</strong> Try again in {count(current.seconds, 'second')}.
        </p>
      )}
    </div>
  );
}
