import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** How many requests begin in one turn of the event loop, in which Node takes one new connection. */
const A_TURN = 8;

/** How many more may wait for a later turn. */
const WAITING = 256;

/**
 * Begins few requests in each turn of the event loop: Node takes one new connection a turn, and would
 * keep newcomers waiting for ever while those who are connected send all that it can serve.
 * @param beyond what is done with a request for which no place is left to wait
 */
export function inTurns(listener: RequestListener, beyond: RequestListener): RequestListener {
  const waiting: [IncomingMessage, ServerResponse][] = [];
  let begun = 0;
  let isDue = false;
  const turn = () => {
    isDue = false;
    begun = 0;
    for (const [req, res] of waiting.splice(0, A_TURN)) {
      // Whoever left while waiting for their turn has none.
      if (!res.closed) begin(req, res);
    }
    if (waiting.length > 0) due();
  };
  const due = () => {
    if (!isDue) setImmediate(turn);
    isDue = true;
  };
  const begin = (req: IncomingMessage, res: ServerResponse) => {
    begun += 1;
    due();
    listener(req, res);
  };
  return (req, res) => {
    if (begun < A_TURN && waiting.length === 0) begin(req, res);
    else if (waiting.length < WAITING) waiting.push([req, res]);
    else beyond(req, res);
  };
}
