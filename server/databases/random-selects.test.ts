/** Tests with random SELECTs that nothing reaches a table which is not allowed. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomSelect } from '../../testkit/databases/random-select.js';
import { ALLOWED, postgresShop, type Shop, sqliteShop } from '../../testkit/databases/shop.js';
import { Databases } from './databases.js';

const WORKER = new URL('../../dist/server/databases/sqlite/sqlite-worker.js', import.meta.url);

const SQLITE_NAMES = {
  schema: 'main',
  quotes: [
    ['"', '"'],
    ['[', ']'],
    ['`', '`'],
  ],
} as const;
const POSTGRES_NAMES = { schema: 'public', quotes: [['"', '"']] } as const;

describe.each([
  { dialect: 'SQLite', create: sqliteShop, forms: SQLITE_NAMES },
  { dialect: 'PostgreSQL', create: postgresShop, forms: POSTGRES_NAMES },
])('$dialect', ({ create, forms }) => {
  let shop: Shop;
  let databases: Databases;
  beforeAll(async () => {
    shop = await create();
    databases = new Databases(
      new Map([['shop', { url: shop.url }]]),
      { timeoutMs: 60_000 },
      WORKER,
    );
  });
  afterAll(async () => {
    await databases.stop();
    await shop.remove();
  });

  test('a query is answered if all its tables are allowed, and refused otherwise', async () => {
    const seen = { answered: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(randomSelect(forms), async ({ sql, tables }) => {
        const answer = await databases
          .query('o', 'shop', ALLOWED, sql, new AbortController().signal)
          .then(
            () => 'answered' as const,
            (error: unknown) => {
              expect(String(error)).toMatch(/The table .* may not be read here/s);
              return 'refused' as const;
            },
          );
        seen[answer] += 1;
        const isAllowed = [...tables].every((table) => ALLOWED.includes(table));
        expect(answer).toBe(isAllowed ? 'answered' : 'refused');
      }),
      { numRuns: 200 },
    );
    // The generator is of use only if it brings about both.
    expect(Math.min(seen.answered, seen.refused)).toBeGreaterThan(10);
  });
});
