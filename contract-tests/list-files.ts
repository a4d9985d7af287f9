import { readdirSync } from 'node:fs';
import { join } from 'node:path/posix';

/**
 * Returns the files below a folder whose paths match, as paths from the project's folder. Leaves out installed packages
 * and build output.
 */
export function listFiles(folder: string, pattern: RegExp): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) return pattern.test(path) ? [path] : [];
    return ['node_modules', 'dist', '.git'].includes(entry.name) ? [] : listFiles(path, pattern);
  });
}
