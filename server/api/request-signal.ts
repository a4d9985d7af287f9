import type { Request, Response } from 'express';
import { onResponseClose } from '../edge/responses.js';
import { unavailable } from '../problems/problem.js';
import { type IsKeyValid, watchKey } from './watch-key.js';

/**
 * Returns a signal that is aborted with a problem when the caller has gone, when the key is revoked
 * or expires, or when the service stops. For handlers that wait for others, such as a chat server.
 */
export function answerSignal(
  req: Request,
  res: Response,
  stopping: AbortSignal,
  isKeyValid: IsKeyValid,
): AbortSignal {
  const over = new AbortController();
  const onStop = () => {
    over.abort(unavailable('The service is stopping; ask again in a moment.'));
  };
  const leaveKey = watchKey(isKeyValid, (reason) => over.abort(reason));
  onResponseClose(req, res, () => {
    leaveKey();
    stopping.removeEventListener('abort', onStop);
    over.abort(unavailable('The caller has gone.'));
  });
  if (stopping.aborted) onStop();
  else stopping.addEventListener('abort', onStop, { once: true });
  return over.signal;
}
