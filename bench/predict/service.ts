import { join } from 'node:path';
import { Readable } from 'node:stream';
import { diamondTable } from '../../testkit/data/diamonds.js';
import { ask } from '../../testkit/http/client.js';
import { fieldOf } from '../../testkit/json.js';
import { type Service, startService } from '../../testkit/service/measured-service.js';
import { untilReadyAt } from '../../testkit/service/train-prices.js';

const LOOP_DELAY = new URL('../loop-delay.js', import.meta.url);

/**
 * The service on an empty store, without a limit of requests a minute.
 * @param preload what is loaded before it; if nothing else, what watches its event loop
 */
export async function withService<T>(
  folder: string,
  use: (service: Service) => Promise<T>,
  preload = LOOP_DELAY,
): Promise<T> {
  const url = `file:${join(folder, 'roster.db')}`;
  const env = { LOG_LEVEL: 'info', RATE_LIMIT: '0' };
  const service = await startService(folder, url, env, { preload });
  try {
    return await use(service);
  } finally {
    await service.kill();
  }
}

/** The address of a model of diamonds' prices, trained with all of the table. */
export async function diamondPrices({ url }: Service): Promise<string> {
  const model = `${url}/api/projects/default/models/prices`;
  const { csv } = diamondTable();
  await ask('PUT', `${model}?target=price`, csv);
  await untilReadyAt(model);
  return model;
}

/** For how long the service's event loop was held, in milliseconds, since it was asked last. */
export async function loopDelays(service: Service): Promise<{ p99: number; max: number }> {
  const answer = await service.ask('loop delay');
  return { p99: Number(fieldOf(answer, 'p99')), max: Number(fieldOf(answer, 'max')) };
}

/** Trains with a table that is sent as it is made; resolves when it is accepted. */
export async function upload(model: string, target: string, csv: Iterable<string>): Promise<void> {
  const response = await fetch(`${model}?target=${target}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'text/csv' },
    body: Readable.toWeb(Readable.from(csv).map((text: string) => Buffer.from(text))),
    duplex: 'half',
  });
  if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`);
  await response.body?.cancel();
}
