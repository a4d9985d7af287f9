import { spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import { devNull } from 'node:os';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ReviewerError } from './reviewer.js';

/**
 * Runs the program of a reviewer, and returns the JSON that it prints.
 * @param input the file that the program reads as its standard input: of a pipe, it may find nothing yet
 * @throws {ReviewerError} if it prints something else
 */
export async function runReviewer(
  name: string,
  args: readonly string[],
  input = devNull,
): Promise<unknown> {
  const file = await open(input);
  const child = spawn(process.execPath, args, {
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    stdio: [file.fd, 'pipe', 'pipe'],
  });
  const [output, errors] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  await file.close();
  try {
    return JSON.parse(output);
  } catch (cause) {
    const [reason = 'it printed no JSON'] = `${errors}\n${output}`
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => /(error|cannot|invalid).*:/i.test(line));
    throw new ReviewerError(`${name} could not review the file: ${reason}`, { cause });
  }
}

async function textOf(stream: Readable | null): Promise<string> {
  return stream === null ? '' : text(stream);
}
