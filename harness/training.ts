import { setTimeout as delay } from 'node:timers/promises';
import { ask, type Headers } from './http.js';
import { fieldOf } from './json.js';

/**
 * Waits until a model is ready.
 * @param model its address
 * @param every how long between two looks, in milliseconds
 * @param headers of each request, such as a key
 * @throws if its training failed, or takes longer than a minute
 */
export async function trained(model: string, every = 100, headers: Headers = {}): Promise<void> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const shown = await ask('GET', model, undefined, headers);
    const status = fieldOf(shown, 'status');
    if (status === 'ready') return;
    if (status === 'failed') throw new Error(`the training failed: ${fieldOf(shown, 'failure')}`);
    if (performance.now() > deadline) throw new Error(`${model} is not ready after a minute`);
    await delay(every);
  }
}
