import type { Socket } from 'node:net';

/** Why a connection is not read: its sender was refused, or has sent more requests than are answered. */
export type PauseReason = 'refused' | 'pipelined';

const reasons = new WeakMap<Socket, Set<PauseReason>>();

/** Stops reading a connection until every reason to pause it is gone. */
export function pauseReading(socket: Socket, reason: PauseReason): void {
  const known = reasons.get(socket);
  if (known) known.add(reason);
  else reasons.set(socket, new Set([reason]));
  socket.pause();
}

/** Removes a reason to pause a connection, and reads on if it was the last one. */
export function resumeReading(socket: Socket, reason: PauseReason): void {
  const known = reasons.get(socket);
  if (!known?.delete(reason) || known.size > 0) return;
  reasons.delete(socket);
  socket.resume();
}
