import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { diamondTable } from '../../testkit/data/diamonds.js';
import { ask } from '../../testkit/http/client.js';
import { fieldOf } from '../../testkit/json.js';
import { type Service, startService } from '../../testkit/service/measured-service.js';
import { untilReadyAt } from '../../testkit/service/train-prices.js';

const LOOP_DELAY = new URL('../loop-delay.js', import.meta.url);

/** The program of a service. */
interface Program {
  /** A module that is loaded first; by default the one that watches the event loop. */
  readonly preload?: URL;
  /** The main file, if it is not that of this build. */
  readonly main?: string;
}

/** Runs the service on an empty store, without a rate limit. */
export async function withService<T>(
  folder: string,
  use: (service: Service) => Promise<T>,
  { preload = LOOP_DELAY, main }: Program = {},
): Promise<T> {
  await mkdir(folder, { recursive: true });
  const url = `file:${join(folder, 'roster.db')}`;
  const env = { LOG_LEVEL: 'info', RATE_LIMIT: '0' };
  const service = await startService(folder, url, env, { preload, ...(main && { main }) });
  try {
    return await use(service);
  } finally {
    await service.kill();
  }
}

/** Returns the address of a model of diamonds' prices, trained with the whole table. */
export async function diamondPrices({ url }: Service): Promise<string> {
  const model = `${url}/api/projects/default/models/prices`;
  const { csv } = diamondTable();
  await ask('PUT', `${model}?target=price`, csv);
  await untilReadyAt(model);
  return model;
}

/** Returns the delays of the service's event loop since the last call, in milliseconds. */
export async function loopDelays(service: Service): Promise<{ p99: number; max: number }> {
  const answer = await service.ask('loop delay');
  return { p99: Number(fieldOf(answer, 'p99')), max: Number(fieldOf(answer, 'max')) };
}

/** Returns the path at which a model of diamonds' prices predicts, after training it. */
export async function pricesPath(service: Service): Promise<string> {
  return `${new URL(await diamondPrices(service)).pathname}/predict`;
}

/** Trains with a table that is generated while it is sent. Resolves when it is accepted. */
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
