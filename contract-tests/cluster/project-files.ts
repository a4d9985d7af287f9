/** A project for each test of `roster export` and `roster apply`, in a service with databases to train from. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { components } from 'roster-client';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { Shop } from '../../testkit/databases/shop.js';
import { runRoster } from '../../testkit/service/roster-command.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { untilReadyAt } from '../../testkit/service/train-prices.js';
import { makeKey } from '../../testkit/store/keys.js';
import { checkedFetch } from '../checked-fetch.js';
import { ON_POSTGRES, testedShop } from '../tested-store.js';

export type Manifest = components['schemas']['Manifest'];
export type Changes = components['schemas']['ManifestChanges'];

export const QUERY = 'select size, colour, price from sales';

export const SHOP: Manifest = [
  { skill: { name: 'care', type: 'knowledge_base', params: { source: 'care of jewels' } } },
  { skill: { name: 'orders', type: 'sql', params: { database: 'sales', tables: ['orders'] } } },
  { skill: { name: 'prices', type: 'model', params: { model: 'prices' } } },
  { document: { skill: 'care', name: 'care.md', media_type: 'text/markdown', text: '# Cleaning\n\nWarm water.\n' } },
  {
    agent: {
      name: 'analyst',
      model_name: 'llama-3',
      prompt_template: 'Be brief.\n{{question}}',
      skills: ['prices', 'orders', 'care'],
      settings: { temperature: 0.2, top: [1, null] },
    },
  },
  { chatbot: { name: 'desk', agent_name: 'analyst', settings: { greeting: 'Hello!' } } },
  {
    model: {
      name: 'prices',
      target: 'price',
      source: { database: 'sales', query: QUERY },
      as_category: ['size'],
      group: ' ',
      date_order: 'day-first',
      decimal_point: ['colour'],
      validate: 'group',
      validate_by: 'size',
      effort: 'fast',
      missing: ['TBD'],
      missing_in: ['colour=none'],
      promotion: 'manual',
    },
  },
];

/** A thousand resources of all kinds but models. */
export const MANY: Manifest = Array.from(
  { length: 320 },
  (_, index): Manifest => [
    { skill: { name: `s${index}`, type: 'retrieval', params: { source: `part ${index}` } } },
    { agent: { name: `a${index}`, skills: [`s${index}`, `s${(index + 1) % 320}`] } },
    { chatbot: { name: `c${index}`, agent_name: `a${index}` } },
  ],
)
  .flat()
  .concat(
    Array.from({ length: 40 }, (_, index) => ({
      document: {
        skill: `s${index}`,
        name: 'text.md',
        media_type: 'text/markdown',
        text: `# Part ${index}\n\n${'Some words of it. '.repeat(20)}\n`,
      },
    })),
  );

/** Projects as files, for the tests of one file. */
export class ProjectFiles {
  /** Removed after the tests. */
  folder = '';
  /** The environment of the service. */
  env: Record<string, string> = {};
  key = '';
  /** The empty project of the current test. */
  project = '';
  #shop: Shop | undefined;
  #server: ServerProcess | undefined;
  #projects = 0;

  constructor() {
    beforeAll(() => this.#open());
    afterAll(() => this.#close());
    beforeEach(async () => {
      this.project = await this.newProject();
    });
  }

  async #open(): Promise<void> {
    this.folder = await mkdtemp(join(tmpdir(), 'roster-project-'));
    const shop = await testedShop();
    this.#shop = shop;
    await shop.execute('create table sales (size integer, colour text, price integer)');
    const rows = Array.from({ length: 80 }, (_, at) => `(${at % 13}, 'c${at % 3}', ${at % 13})`);
    await shop.execute(`insert into sales values ${rows.join()}`);
    const store = ON_POSTGRES ? shop.url : `file:${join(this.folder, 'roster.db')}`;
    const databases = {
      sales: { url: shop.url, training: ['sales'] },
      calendar: { url: shop.url, training: ['days'] },
    };
    this.env = { DATABASE_URL: store, DATABASES: JSON.stringify(databases) };
    this.key = await makeKey(store, { name: 'own' });
    this.#server = await startServer({ env: this.env });
  }

  async #close(): Promise<void> {
    await this.#server?.kill();
    await this.#shop?.remove();
    await rm(this.folder, { recursive: true });
  }

  get shop(): Shop {
    return this.#shop ?? expect.fail('no database is open');
  }

  get server(): ServerProcess {
    return this.#server ?? expect.fail('no service runs');
  }

  /** Kills the service and, once `then` has settled, starts it again on the same store. */
  async restart<T>(then: Promise<T>): Promise<T> {
    await this.server.kill();
    const settled = await then;
    this.#server = await startServer({ env: this.env });
    return settled;
  }

  async newProject(): Promise<string> {
    this.#projects += 1;
    const name = `p${this.#projects}`;
    expect((await this.send('POST', '/projects', { project: { name } })).status).toBe(201);
    return name;
  }

  send(method: string, path: string, body?: unknown, headers: object = {}): Promise<Response> {
    return checkedFetch(
      new Request(this.server.url + path, {
        method,
        headers: { Authorization: `Bearer ${this.key}`, 'Content-Type': 'application/json', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
  }

  put(manifest: unknown, query = '', name = this.project, headers = {}): Promise<Response> {
    return this.send('PUT', `/projects/${name}/manifest${query}`, manifest, headers);
  }

  async apply(manifest: Manifest, query = '', name = this.project): Promise<Changes> {
    const answer = await this.put(manifest, query, name);
    expect(answer.status, await answer.clone().text()).toBe(200);
    return JSON.parse(await answer.text());
  }

  async read(name = this.project): Promise<Manifest> {
    return JSON.parse(await (await this.send('GET', `/projects/${name}/manifest`)).text());
  }

  model(more = '', name = this.project): string {
    return `/api/projects/${name}/models/prices${more}`;
  }

  untilTrained(name = this.project): Promise<void> {
    return untilReadyAt(this.server.url + this.model('', name), { Authorization: `Bearer ${this.key}` });
  }

  roster(...args: string[]) {
    return runRoster([...args, '--url', this.server.url], { ROSTER_KEY: this.key });
  }
}

export const listed = ({ changes }: Changes): string[] => changes.map(({ action, name }) => `${action} ${name}`);
