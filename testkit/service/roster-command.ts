import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { root } from '../root.js';

const ROSTER = fileURLToPath(new URL('dist/server/commands/roster.js', root));

/** The output and the exit code of a command. */
export interface Outcome {
  code: number | string | null | undefined;
  stdout: string;
  stderr: string;
}

/** Runs the built command `roster` in its own process, and waits until it has ended. */
export function runRoster(args: string[], env: NodeJS.ProcessEnv): Promise<Outcome> {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...env } };
    execFile(process.execPath, [ROSTER, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error ? error.code : 0, stdout, stderr });
    });
  });
}
