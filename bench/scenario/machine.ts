import { cpus, totalmem } from 'node:os';

/** Returns a line about the machine of the measurement. */
export function machine(): string {
  const memory = (totalmem() / 2 ** 30).toFixed(0);
  return `${cpus().length} × ${cpus()[0]?.model}, ${memory} GiB, Node ${process.version}; the load runs on the same machine`;
}
