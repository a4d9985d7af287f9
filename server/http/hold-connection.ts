import type { Socket } from 'node:net';
import { pauseReading, resumeReading } from './pause-reading.js';

/** Until when connections are held: several refusals on one of them hold it until the last one's turn. */
const heldUntil = new WeakMap<Socket, number>();

/** Returns for how long a connection is still held, in milliseconds; 0 for one that is not. */
export function holdTime(socket: Socket): number {
  const until = heldUntil.get(socket);
  return until === undefined ? 0 : Math.max(until - performance.now(), 1);
}

/** Does not read a connection until a time, by `performance.now()`. */
export function holdConnection(socket: Socket, until: number): void {
  const held = heldUntil.get(socket);
  heldUntil.set(socket, Math.max(held ?? 0, until));
  pauseReading(socket, 'refused');
  if (held === undefined) releaseInTime(socket, until);
}

function releaseInTime(socket: Socket, until: number): void {
  setTimeout(() => {
    const last = heldUntil.get(socket) ?? until;
    if (last > until) return releaseInTime(socket, last);
    heldUntil.delete(socket);
    resumeReading(socket, 'refused');
  }, until - performance.now());
}
