import { fileURLToPath } from 'node:url';
import { BRIEF_RUN_FLAGS } from '../../testkit/node-flags.js';
import { root } from '../../testkit/root.js';
import { type Child, startChild } from '../../testkit/service/child-process.js';

const MAIN = fileURLToPath(new URL('dist/tools/mock/main.js', root));

/**
 * Starts the built stateful mock on a free port of the loopback address, without a real chat server, and waits
 * until it listens.
 */
export function startStatefulMock(env: NodeJS.ProcessEnv = {}): Promise<Child & { url: string }> {
  return startChild(
    process.execPath,
    [...BRIEF_RUN_FLAGS, MAIN],
    { ...process.env, PORT: '0', CHAT_URL: '', ...env },
    (line) => /listens on (http:\S+:\d+)/.exec(line)?.[1],
  );
}
