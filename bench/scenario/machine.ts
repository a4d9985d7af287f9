import { cpus, totalmem } from 'node:os';

/** The machine that figures were measured on, in a line. */
export function machine(): string {
  const memory = (totalmem() / 2 ** 30).toFixed(0);
  return `${cpus().length} × ${cpus()[0]?.model}, ${memory} GiB, Node ${process.version}; the load runs on the same machine`;
}
