import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** How many requests begin in one turn of the event loop, in which Node takes one new connection. */
const A_TURN = 8;

/**
 * Begins few requests in each turn of the event loop. Node takes one new connection a turn, so that
 * newcomers would wait for ever while those who are connected send all that the service can do. Those who
 * wait for a later turn are no more than there are connections.
 */
export function inTurns(listener: RequestListener): RequestListener {
  const waiting: [IncomingMessage, ServerResponse][] = [];
  let begun = 0;
  let isDue = false;
  const turn = () => {
    isDue = false;
    begun = 0;
    for (const [req, res] of waiting.splice(0, A_TURN)) {
      // Whoever left while waiting for their turn has none.
      if (!res.closed && !req.socket.destroyed) begin(req, res);
    }
    if (waiting.length > 0) due();
  };
  const due = () => {
    if (!isDue) setImmediate(turn);
    isDue = true;
  };
  const begin: RequestListener = (req, res) => {
    begun += 1;
    due();
    listener(req, res);
  };
  return (req, res) => {
    if (begun < A_TURN && waiting.length === 0) begin(req, res);
    else waiting.push([req, res]);
  };
}
