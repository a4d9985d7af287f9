/** The filters of the audit log, over more events than one part of a scan has, so that some filters meet few of them. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testedStore } from '../../contract-tests/tested-store.js';
import type { OwnStore } from '../../testkit/store/own-store.js';
import { type AuditEvent, type EventFilter, listEvents } from './audit-trail.js';
import { Store } from './index.js';

const EVENTS = 6000;
const BEGIN = Date.parse('2026-01-01T00:00:00Z');
const momentOf = (number: number) => new Date(BEGIN + number * 1000).toISOString();

const oneOf = (number: number, usual: string, rare: string, every: number) => (number % every === 7 ? rare : usual);

/** Writes an event as SQL. The names of resources begin alike, with characters before and after the slash. */
function writeValues(number: number): string {
  const time = (BEGIN + number * 1000).toString(16).padStart(12, '0');
  const id = `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
  const project = ['shop', 'shop', 'shop-2', 'shop.2', 'shop0', 'Shop'][number % 6] ?? '';
  const columns = {
    id,
    owner: oneOf(number, 'usual', 'rare', 900),
    operation: oneOf(number, 'createSkill', 'deleteSkill', 700),
    resource: oneOf(number, `/projects/${project}/skills/${number % 50}`, `/projects/${project}`, 500),
    key_id: number % 3 === 0 ? null : oneOf(number, 'often', 'seldom', 1100),
    problem: oneOf(number, '', '/problems/missing-scope', 400) || null,
    hash: 'x',
  };
  const texts = Object.values(columns).map((value) => (value === null ? 'null' : `'${value}'`));
  return `(${[...texts, number, 1].join(', ')})`;
}

let database: OwnStore;
let store: Store;
let all: AuditEvent[];

beforeAll(async () => {
  database = await testedStore();
  store = await Store.open(database.databaseUrl);
  const connection = await database.connect();
  const rows = Array.from({ length: EVENTS }, (_, number) => writeValues(number));
  await connection.run(
    `insert into audit_events (id, owner, operation, resource, key_id, problem, hash, sequence, count)
       values ${rows.join(', ')}`,
  );
  await connection.close();
  all = await listEvents(store, {}, { limit: EVENTS });
});

afterAll(async () => {
  await store.close();
  await database.remove();
});

/** Returns whether a filter lists an event. */
function isListed(event: AuditEvent, { since, until, ...filter }: EventFilter): boolean {
  const { owner, operation, key, resource, result } = filter;
  return (
    (since === undefined || event.at >= since) &&
    (until === undefined || event.at < until) &&
    (owner === undefined || event.owner === owner) &&
    (operation === undefined || event.operation === operation) &&
    (key === undefined || event.key === key) &&
    (resource === undefined || event.resource === resource || event.resource.startsWith(`${resource}/`)) &&
    (result === undefined || event.result === result)
  );
}

const moment = fc.integer({ min: -1, max: EVENTS }).map(momentOf);
const resources = ['/projects', '/projects/shop', '/projects/shop/skills/7', '/projects/Shop', '/projects/sho'];
const filters: fc.Arbitrary<EventFilter> = fc.record(
  {
    since: moment,
    until: moment,
    owner: fc.constantFrom('usual', 'rare', 'nobody'),
    operation: fc.constantFrom('createSkill', 'deleteSkill', 'deleteKey'),
    key: fc.constantFrom('often', 'seldom', 'none'),
    resource: fc.constantFrom(...resources),
    result: fc.constantFrom('done' as const, 'refused' as const),
  },
  { requiredKeys: [] },
);

test('filters list the events that they describe, in the order of their times, page by page', async () => {
  expect(all).toHaveLength(EVENTS);
  const pages = fc.constantFrom(700, 4000);
  await fc.assert(
    fc.asyncProperty(filters, pages, async (filter, limit) => {
      const listed: string[] = [];
      for (let size: number = limit; size === limit; ) {
        const page = await listEvents(store, filter, { limit, after: listed.at(-1) });
        listed.push(...page.map(({ id }) => id));
        size = page.length;
      }
      expect(listed).toEqual(all.filter((event) => isListed(event, filter)).map(({ id }) => id));
    }),
    { numRuns: 60 },
  );
});
