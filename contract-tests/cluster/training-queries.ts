/** Trainings from the queries of a shop, by two instances that share a store. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Model } from 'roster-client';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Shop } from '../../testkit/databases/shop.js';
import { untilReadyAt } from '../../testkit/service/train-prices.js';
import { makeKey } from '../../testkit/store/keys.js';
import { checkedFetch } from '../checked-fetch.js';
import { ON_POSTGRES, testedShop } from '../tested-store.js';
import { type Instance, startInstance, startTwo } from './instance.js';

/** The query of the contract's example, whose promise is recorded here, and one whose rows are in an order. */
export const EXAMPLE = 'select size, colour, sold_on, price from sales';
export const SALES = `${EXAMPLE} order by id`;

/** Returns rows of sales, in which the price depends on the size. */
export const salesFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => {
    const id = first + index;
    return {
      id,
      size: (id * 7) % 13,
      colour: id % 5 === 0 ? null : `c${id % 3}`,
      sold_on: `2026-01-${String((id % 28) + 1).padStart(2, '0')}`,
      price: ((id * 7) % 13) + 0.25,
    };
  });

export const isSqlite = !ON_POSTGRES;

export const from = (query: string, database = 'sales') => ({ source: { database, query } });

/** The shop and the service, for the tests of one file. */
export class TrainingQueries {
  authorization: Record<string, string> = {};
  #folder = '';
  #shop: Shop | undefined;
  #both: readonly [Instance, Instance] | undefined;

  constructor() {
    beforeAll(() => this.#open());
    afterAll(() => this.#close());
  }

  async #open(): Promise<void> {
    this.#folder = await mkdtemp(join(tmpdir(), 'roster-queries-'));
    const shop = await testedShop();
    this.#shop = shop;
    await shop.execute(
      `create table sales (id integer primary key, size integer, colour text, sold_on ${isSqlite ? 'text' : 'date'}, price ${isSqlite ? 'real' : 'numeric(8, 2)'})`,
    );
    await this.sell(1, 120);
    const open = { url: shop.url, training: ['sales', 'orders'] };
    const databases = {
      sales: open,
      closed: shop.url,
      foreign: { ...open, owners: ['acme'] },
      gone: { ...open, url: 'file:/nowhere/shop.db' },
    };
    const store = isSqlite ? `file:${join(this.#folder, 'roster.db')}` : shop.url;
    const env = { DATABASE_URL: store, DATABASES: JSON.stringify(databases) };
    this.authorization = { Authorization: `Bearer ${await makeKey(store, { name: 'own' })}` };
    // A file of SQLite has one service.
    const one = isSqlite ? await startInstance({ env }) : undefined;
    this.#both = one ? [one, one] : await startTwo({ env });
  }

  async #close(): Promise<void> {
    await Promise.all((this.#both ?? []).map((instance) => instance.kill()));
    await this.#shop?.remove();
    await rm(this.#folder, { recursive: true });
  }

  get shop(): Shop {
    return this.#shop ?? expect.fail('no database is open');
  }

  get both(): readonly [Instance, Instance] {
    return this.#both ?? expect.fail('no service runs');
  }

  async sell(first: number, count: number): Promise<void> {
    const values = salesFrom(first, count).map(
      ({ id, size, colour, sold_on, price }) =>
        `(${id}, ${size}, ${colour === null ? 'null' : `'${colour}'`}, '${sold_on}', ${price})`,
    );
    await this.shop.execute(`insert into sales values ${values.join(', ')}`);
  }

  address(name: string, more = ''): string {
    return `/api/projects/default/models/${name}${more}`;
  }

  send(method: string, path: string, body?: unknown, init: RequestInit = {}): Promise<Response> {
    return checkedFetch(
      new Request(this.both[0].url + path, {
        method,
        headers: { ...this.authorization, 'Content-Type': 'application/json' },
        ...init,
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    );
  }

  /** Trains with the least effort, unless the query of the address chooses one or is that of a forecast. */
  train(name: string, body: unknown, target = 'price', init?: RequestInit): Promise<Response> {
    const effort = /effort|order_by/.test(target) ? '' : '&effort=fast';
    return this.send('PUT', this.address(name, `?target=${target}${effort}`), body, init);
  }

  async ready(name: string): Promise<Model> {
    await untilReadyAt(this.both[0].url + this.address(name), this.authorization);
    return JSON.parse(await (await this.send('GET', this.address(name))).text());
  }

  /** Returns the problem of a refused training, after which there is no model. */
  async refusal(body: unknown, target?: string) {
    const refused = await this.train('refused', body, target);
    expect((await this.send('GET', this.address('refused'))).status).toBe(404);
    return { status: refused.status, ...JSON.parse(await refused.text()) };
  }
}
