import { signal } from './signal.js';

/** The state of the connection: the service answers, does not answer, or is busy for some seconds. */
export type Connection =
  | { readonly state: 'online' }
  | { readonly state: 'lost' }
  | { readonly state: 'busy'; readonly seconds: number };

const ONLINE: Connection = { state: 'online' };

/** The state of the connection, according to the last answer. */
export const connection = signal<Connection>(ONLINE);

/** Thrown if a request gets no answer. fetch throws a TypeError then, which the client may repeat. */
export class ConnectionError extends TypeError {
  override readonly name = 'ConnectionError';
}

const TRY_AGAIN_EVERY_MS = 2_000;
let isWaiting = false;

/** Notes that a request got an answer. */
export function noteAnswer(response: Response): void {
  const seconds = Number(response.headers.get('Retry-After'));
  const isBusy = response.status === 503 && seconds > 0;
  connection.set(isBusy ? { state: 'busy', seconds } : ONLINE);
}

/** Notes that a request got no answer, and asks the service until it answers again. */
export async function noteFailure(healthUrl: string): Promise<void> {
  connection.set({ state: 'lost' });
  if (isWaiting) return;
  isWaiting = true;
  while (connection.get().state === 'lost') {
    await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_EVERY_MS));
    try {
      const { ok } = await fetch(healthUrl, { cache: 'no-store' });
      if (ok) connection.set(ONLINE);
    } catch {
      // Still no answer.
    }
  }
  isWaiting = false;
}
