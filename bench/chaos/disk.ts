import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A disk of its own, which can be filled and protected without harm to any other. */
export interface Disk {
  readonly at: string;
  /** Gives it another size, such as `64m`, and lets it be written to. */
  resize(size: string): Promise<void>;
  /** Lets nobody write to it. */
  protect(): Promise<void>;
  unmount(): Promise<void>;
}

/**
 * Mounts a disk in memory.
 * @param at an empty folder
 * @param size such as `4m`
 * @returns why that cannot be done, where only root may mount
 */
export async function mountDisk(at: string, size: string): Promise<Disk | string> {
  const mount = (...options: string[]) => run('mount', ['-o', options.join(','), at]);
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', at]);
  } catch (error) {
    return error instanceof Error ? error.message.replaceAll('\n', ' ').trim() : String(error);
  }
  return {
    at,
    resize: async (size) => {
      await mount('remount', 'rw', `size=${size}`);
    },
    protect: async () => {
      await mount('remount', 'ro');
    },
    unmount: async () => {
      await run('umount', [at]);
    },
  };
}
