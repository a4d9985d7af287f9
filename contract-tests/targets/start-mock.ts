import { fileURLToPath } from 'node:url';
import { BRIEF_RUN_FLAGS } from '../../testkit/node-flags.js';
import { root } from '../../testkit/root.js';
import { type Child, startChild } from '../../testkit/service/child-process.js';

const ROOT = fileURLToPath(root);

/**
 * Starts the built Prism mock on a free port of the loopback address, and waits until it listens.
 * @param folder the folder of the contract
 */
export function startMock(folder = ROOT, env: NodeJS.ProcessEnv = {}): Promise<Mock> {
  return start('prism', env, folder);
}

/** Starts the built stateful mock likewise, without a real chat server. */
export function startStatefulMock(env: NodeJS.ProcessEnv = {}): Promise<Mock> {
  return start('mock', { CHAT_URL: '', ...env });
}

type Mock = Child & { readonly url: string };

function start(tool: string, env: NodeJS.ProcessEnv, folder?: string): Promise<Mock> {
  return startChild(
    process.execPath,
    [...BRIEF_RUN_FLAGS, fileURLToPath(new URL(`dist/tools/${tool}/main.js`, root))],
    { ...process.env, PORT: '0', ...env },
    (line) => /listens on (http:\S+:\d+)/.exec(line)?.[1],
    folder,
  );
}
