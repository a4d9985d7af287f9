import type { Socket } from 'node:net';
import { pauseReading, resumeReading } from './pause-reading.js';

/**
 * The time until which each connection is held; several refusals hold it until the last one's turn.
 */
const heldUntil = new WeakMap<Socket, number>();

/** Returns the time for which a connection is still held, in milliseconds; 0 if it is not. */
export function holdTime(socket: Socket): number {
  const until = heldUntil.get(socket);
  return until === undefined ? 0 : Math.max(until - performance.now(), 1);
}

/** Stops reading a connection until a time, as given by `performance.now()`. */
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
