import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A separate disk that can be filled and protected without affecting any other. */
export interface Disk {
  readonly at: string;
  /** Resizes the disk, to `64m` for example, and makes it writable. */
  resize(size: string): Promise<void>;
  /** Makes the disk read-only. */
  protect(): Promise<void>;
  unmount(): Promise<void>;
}

/**
 * Mounts a disk in memory.
 * @param at an empty folder
 * @param size such as `4m`
 * @returns the reason if the disk cannot be mounted; only root may mount
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
