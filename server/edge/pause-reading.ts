import type { Socket } from 'node:net';

/**
 * The reason to pause a connection: its sender was refused, or has too many unanswered requests.
 */
export type PauseReason = 'refused' | 'pipelined';

const reasons = new WeakMap<Socket, Set<PauseReason>>();

/** Stops reading a connection until every reason to pause it is removed. */
export function pauseReading(socket: Socket, reason: PauseReason): void {
  const known = reasons.get(socket);
  if (known) known.add(reason);
  else reasons.set(socket, new Set([reason]));
  socket.pause();
}

/** Removes a reason to pause a connection, and resumes reading if it was the last. */
export function resumeReading(socket: Socket, reason: PauseReason): void {
  const known = reasons.get(socket);
  if (!known?.delete(reason) || known.size > 0) return;
  reasons.delete(socket);
  socket.resume();
}
