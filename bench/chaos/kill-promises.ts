import { setTimeout as delay } from 'node:timers/promises';
import { diamondTable } from '../../testkit/data/diamonds.js';
import { readField } from '../../testkit/json.js';
import { type Service, startService } from '../../testkit/service/measured-service.js';
import { type Finding, none } from '../scenarios.js';
import { onBothStores, train } from '../services.js';

const KILLS = 25;
const CLIENTS = 3;
/** The rows of a body: from one, which the main loop answers, to some that a worker process does. */
const ROWS = [1, 20, 3_000];
/** The time from the first request to the kill, in milliseconds. */
const LIFETIME = { least: 150, most: 3_000 };

const MODEL = '/api/projects/default/models/prices';
const PRICE = 1234;

export const killPromises = onBothStores('kill-promises', KILLS, killWhileRemembering);

/** Kills a service while it remembers rows and takes truths, and asks after each that was acknowledged. */
async function killWhileRemembering(folder: string, databaseUrl: string, kills: number): Promise<Finding[]> {
  let service = await startService(folder, databaseUrl);
  const lost: string[] = [];
  const forgotten: string[] = [];
  const counts = { promises: 0, truths: 0 };
  try {
    await train(`${service.url}${MODEL}?target=price`, diamondTable(500).csv);
    for (let kill = 0; kill < kills; kill += 1) {
      const clients = Array.from({ length: CLIENTS }, () => new Client(service));
      const working = clients.map((client) => client.work());
      await delay(LIFETIME.least + Math.random() * (LIFETIME.most - LIFETIME.least));
      await service.kill();
      await Promise.all(working);
      service = await startService(folder, databaseUrl);
      for (const { promised, acknowledged } of clients) {
        counts.promises += promised.length;
        counts.truths += acknowledged.length;
        const again = await addTruths(service, acknowledged);
        if (again?.unchanged !== acknowledged.length) forgotten.push(JSON.stringify(again));
        const all = await addTruths(service, promised);
        if (all?.unmatched !== 0) lost.push(JSON.stringify(all));
      }
    }
    if (counts.truths === 0) forgotten.push('no truth was acknowledged');
    return [
      none(`${kills} kills: each row that was read has its promise`, lost, `${counts.promises} rows`),
      none('each truth that was acknowledged is there, and none counts twice', forgotten, `${counts.truths} truths`),
    ];
  } finally {
    await service.kill();
  }
}

/** Predicts rows and sends their true values, until the service is killed. */
class Client {
  /** The ids of rows that were read to their end. */
  readonly promised: string[] = [];
  /** Those whose truths were acknowledged. */
  readonly acknowledged: string[] = [];

  constructor(private readonly service: Service) {}

  async work(): Promise<void> {
    try {
      for (let turn = 0; ; turn += 1) {
        const before = this.promised.length;
        await this.#predict(ROWS[turn % ROWS.length] ?? 1);
        const ids = this.promised.slice(before);
        if (await addTruths(this.service, ids)) this.acknowledged.push(...ids);
      }
    } catch {
      // The service was killed.
    }
  }

  async #predict(rows: number): Promise<void> {
    const response = await fetch(`${this.service.url}${MODEL}/predict?remember=true`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/csv' },
      body: diamondTable(rows).csv,
    });
    const decoder = new TextDecoder();
    let rest = '';
    for await (const piece of response.body ?? []) {
      const lines = (rest + decoder.decode(piece, { stream: true })).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const id = line.slice(line.lastIndexOf(',') + 1);
        if (id !== '__service_row_id') this.promised.push(id);
      }
    }
  }
}

/** Sends the true values of rows; returns the counts of the answer, or undefined if it is none. */
async function addTruths({ url }: Service, ids: readonly string[]) {
  const lines = ids.map((id) => `${id},${PRICE}\n`).join('');
  const response = await fetch(`${url}${MODEL}/actuals`, {
    method: 'POST',
    headers: { 'Content-Type': 'text/csv' },
    body: `__service_row_id,price\n${lines}`,
  });
  if (response.status !== 200) return undefined;
  const answer: unknown = await response.json();
  const count = (name: string) => Number(readField(answer, name));
  return { unchanged: count('unchanged'), unmatched: count('unmatched') };
}
