import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Readable, Writable } from 'node:stream';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** The Chromium of this machine, if it has one. */
export async function findChromium(): Promise<string | undefined> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    for (const name of NAMES) {
      const file = join(folder, name);
      const isThere = await access(file, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (isThere) return file;
    }
  }
  return undefined;
}

/** A page in a browser that nobody sees. */
export interface BrowserPage {
  /** What a JavaScript expression gives in the page, when its promise is fulfilled. */
  evaluate(expression: string): Promise<unknown>;
  /** What went wrong in the page and was caught by nobody. */
  faults: string[];
  close(): Promise<void>;
}

interface Message {
  id?: number;
  method?: string;
  params?: unknown;
  result?: Record<string, unknown>;
  error?: { message: string };
}

/**
 * Opens a page in Chromium and waits until it and its scripts are loaded, over the DevTools protocol (https://chromedevtools.github.io/devtools-protocol/), of
 * which a test needs so little that no library has to speak it.
 */
export async function openPage(chromium: string, url: string): Promise<BrowserPage> {
  const profile = await mkdtemp(join(tmpdir(), 'roster-chromium-'));
  // Without the sandbox, which cannot be had as root; all that it sees is our own page.
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];
  const browser = spawn(
    chromium,
    [...flags, '--remote-debugging-pipe', `--user-data-dir=${profile}`],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
  );
  const exited = once(browser, 'exit');
  const [, , , toBrowser, fromBrowser] = browser.stdio;
  if (!(toBrowser instanceof Writable && fromBrowser instanceof Readable)) {
    throw new Error('The browser has no pipe');
  }

  const waiting = new Map<number, (message: Message) => void>();
  browser.once('exit', () => {
    for (const answer of waiting.values()) answer({ error: { message: 'The browser has ended' } });
  });
  const faults: string[] = [];
  const listeners = new Map<string, (message: Message) => void>([
    ['Runtime.exceptionThrown', ({ params }) => faults.push(JSON.stringify(params))],
  ]);
  void (async () => {
    for await (const message of messages(fromBrowser)) {
      if (message.id !== undefined) waiting.get(message.id)?.(message);
      if (message.method !== undefined) listeners.get(message.method)?.(message);
    }
  })();

  let sent = 0;
  const send = async (method: string, params: object, sessionId?: string) => {
    const id = ++sent;
    const answer = new Promise<Message>((resolve) => waiting.set(id, resolve));
    toBrowser.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    const { result, error } = await answer;
    if (error || !result) throw new Error(`${method}: ${error?.message}`);
    return result;
  };

  const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  const session = String(sessionId);
  await send('Runtime.enable', {}, session);
  await send('Page.enable', {}, session);
  const loaded = new Promise<void>((resolve) =>
    listeners.set('Page.loadEventFired', () => resolve()),
  );
  await send('Page.navigate', { url }, session);
  await loaded;

  return {
    faults,
    evaluate: async (expression) => {
      const { result, exceptionDetails } = await send(
        'Runtime.evaluate',
        { expression, awaitPromise: true, returnByValue: true },
        session,
      );
      if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
      return typeof result === 'object' && result && 'value' in result ? result.value : undefined;
    },
    close: async () => {
      browser.kill();
      await exited;
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The messages in a stream, where each ends with a NUL. */
async function* messages(stream: Readable): AsyncGenerator<Message> {
  let rest = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    const parts = (rest + chunk).split('\0');
    rest = parts.pop() ?? '';
    for (const part of parts) yield JSON.parse(part);
  }
}
