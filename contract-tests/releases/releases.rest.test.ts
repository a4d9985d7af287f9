/** Tests that this version reads the stores and models of each release that is kept here. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { createPredictor, decodeModel } from 'roster-prediction';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asArray, asRecord } from '../../contract/json-record.js';
import { DatabaseSync } from '../../server/store/database/sqlite-connection.js';
import { Store } from '../../server/store/index.js';
import { migrations } from '../../server/store/migrations/index.js';
import { untilReadyAt } from '../../testkit/service/train-prices.js';
import { type PostgresDatabase, startPostgres } from '../../testkit/store/postgres-database.js';
import { Fixture } from '../../tools/release/fixture/make.js';
import { restore, schema } from '../../tools/release/fixture/postgres-rows.js';
import {
  type Exchange,
  exchange,
  type FixtureService,
  startService,
  UNFINISHED,
} from '../../tools/release/fixture/requests.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const releases = readdirSync(here, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
  .map(({ name }) => name);

/** Releases whose models lack the rows in trees, by which contributions are computed, and reports of their tables. */
const WITHOUT_REPORTS = ['0.1.0', '0.2.0'];

/** The moments after which rows are forgotten, by their table: to a test, those of the release are now. */
const KEPT_FOR_A_TIME = {
  kept_answers: `created_at = '${new Date().toISOString()}'`,
  responses: `used_at = '${new Date().toISOString()}'`,
  promises: `made_at = ${Date.now()}`,
};

let folder: string;
let postgres: PostgresDatabase;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'roster-releases-'));
  postgres = await startPostgres();
});
afterAll(async () => {
  await postgres.remove();
  rmSync(folder, { recursive: true });
});

describe.each(releases)('of release %s', (release) => {
  const fixture = new Fixture(join(here, release));
  const file = () => join(folder, `${release}.db`);

  describe.each([
    ['sqlite', openSqlite],
    ['postgres', openPostgres],
  ] as const)('a store on %s', (kind, open) => {
    const exchanges = fixture.answers(kind);
    let service: FixtureService;
    beforeAll(async () => {
      service = await startService(await open());
    });
    afterAll(() => service.stop());

    test.each(exchanges.map((recorded) => [titleOf(recorded), recorded] as const))(
      'answers as it did: %s',
      async (_, recorded) => {
        const now = await exchange(service.url, recorded);
        expect(now).toMatchObject({ status: recorded.status, answer: recorded.answer });
        // A later contract may add members, which give the resource another entity tag, or a tag where there was none.
        if (JSON.stringify(now.answer) === JSON.stringify(recorded.answer)) {
          if (recorded.etag !== null) expect(now.etag).toBe(recorded.etag);
        }
      },
    );

    if (WITHOUT_REPORTS.includes(release)) {
      test('its models report nothing of their tables, which it did not record', async () => {
        const [first] = exchanges;
        if (!first) throw new Error('A release has recorded requests');
        const list = { ...first, method: 'GET', path: '/api/projects/flats/models', body: undefined };
        const { answer } = await exchange(service.url, list);
        const models = asArray(answer).map(asRecord);
        expect(models.length).toBeGreaterThan(2);
        for (const { reading, findings } of models)
          expect({ reading, findings }).toEqual({ reading: null, findings: [] });
      });

      const isKept = (name: string) => exchanges.some(({ path }) => path.endsWith(`/models/${name}`));
      test.each(['rents', 'heating', 'sales'].filter(isKept))(
        'its model %s, which lacks the rows in trees, refuses contributions',
        async (name) => {
          const path = `/api/projects/flats/models/${name}/predict?contributions=true`;
          const headers = { ...exchanges[0]?.headers, 'Content-Type': 'application/json' };
          const { status, answer } = await exchange(service.url, { method: 'POST', path, headers, body: '[{}]' });
          expect(status).toBe(400);
          const message = expect.stringContaining('was trained by an earlier release; train the model again');
          expect(answer).toMatchObject({ errors: [{ pointer: '/query/contributions', message }] });
        },
      );
    }

    test.each(UNFINISHED)('finishes the training of %s', async (path) => {
      await untilReadyAt(service.url + path, exchanges[0]?.headers);
    });
  });

  test.each(fixture.modelAnswers())('the model $model predicts the same with $options', (said) => {
    const model = decodeModel(fixture.model(said.model));
    const answers = createPredictor(model).predict(said.rows, said.options);
    expect(JSON.parse(JSON.stringify(answers))).toEqual(said.answers);
  });

  test('its migrations are those that it was released with', async () => {
    const url = await postgres.create(`tables_${numberOf(release)}`);
    const rows = fixture.postgres();
    await restore(url, { ...rows, tables: {} });
    expect(await schema(url)).toEqual(rows.schema);
  });

  test('an instance of it goes on beside this version: the tables are only added to', async () => {
    const released = fixture.postgres();
    const before = released.schema;
    const tables = new Set(before.map(tableOf));
    const url = await postgres.create(`beside_${numberOf(release)}`);
    await restore(url, { ...released, tables: {} });
    await (await Store.open(url)).close();
    const now = await schema(url);
    expect(now).toEqual(expect.arrayContaining([...before]));
    const added = now.filter((line) => !before.includes(line) && tables.has(tableOf(line)));
    // A row of the release lacks the columns, and an index may not refuse it.
    for (const line of added) {
      expect(line).toMatch(/^\w+ \w+ .* YES|^\w+ \w+ .* NO \S|^CREATE INDEX /);
    }
  });

  const lacksMigrations = fixture.postgres().migrations.length < Object.keys(migrations).length;
  if (lacksMigrations) {
    test('an instance of it reads while this version migrates its tables', async () => {
      const url = await postgres.create(`read_${numberOf(release)}`);
      await restore(url, fixture.postgres());
      const reader = new pg.Client({ connectionString: url, lock_timeout: 10_000 });
      await reader.connect();
      await reader.query('begin');
      await reader.query('select from model_artifacts');
      const opening = Store.open(url);
      const waiting = 'select from pg_locks where not granted and relation is not null';
      await expect.poll(async () => (await reader.query(waiting)).rowCount).toBeGreaterThan(0);
      for (const table of ['api_keys', 'projects', 'models', 'model_versions']) {
        await reader.query(`select from ${table}`);
      }
      await reader.query('commit');
      await reader.end();
      await (await opening).close();
    });
  }

  test('an upgraded store has the tables of a new one', async () => {
    const [upgraded, fresh] = [`${file()}.upgraded`, `${file()}.fresh`];
    writeFileSync(upgraded, fixture.sqlite());
    for (const path of [upgraded, fresh]) await (await Store.open(`file:${path}`)).close();
    expect(sqliteSchema(upgraded)).toEqual(sqliteSchema(fresh));
  });

  function renewal(): string {
    const { tables } = fixture.postgres();
    return Object.entries(KEPT_FOR_A_TIME)
      .filter(([table]) => table in tables)
      .map(([table, now]) => `update ${table} set ${now};`)
      .join('\n');
  }

  async function openSqlite(): Promise<string> {
    writeFileSync(file(), fixture.sqlite());
    const database = new DatabaseSync(file());
    database.exec(renewal());
    database.close();
    return `file:${file()}`;
  }

  async function openPostgres(): Promise<string> {
    const url = await postgres.create(`release_${numberOf(release)}`);
    await restore(url, fixture.postgres());
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(renewal());
    await client.end();
    return url;
  }
});

test('a store on PostgreSQL of a later release is refused, in one line', async () => {
  const url = await postgres.create('later');
  await (await Store.open(url)).close();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("insert into kysely_migration values ('9999-later', '2999-01-01')");
  await client.end();
  await expect(Store.open(url)).rejects.toThrow(
    /^the store postgres:.* was written by a later release of Roster; run that release$/,
  );
});

const numberOf = (release: string) => release.replaceAll(/\W/g, '_');

/** Returns the table of a line of the schema: of a column, a constraint or an index. */
const tableOf = (line: string) => / ON public\.(\w+) /.exec(line)?.[1] ?? line.split(' ')[0] ?? '';

function titleOf({ method, path, headers, status }: Exchange): string {
  const accept = headers['Accept'] ? ` as ${headers['Accept']}` : '';
  return `${method} ${path}${accept}, ${status}`;
}

function sqliteSchema(file: string): unknown[] {
  const database = new DatabaseSync(file, { readOnly: true });
  const tables = database.prepare('select type, name, sql from sqlite_master order by name').all();
  database.close();
  return tables;
}
