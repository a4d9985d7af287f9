import { createHash } from 'node:crypto';
import {
  BatchBody,
  batchMessage,
  dictionaryMessage,
  type Field,
  INT32,
  schemaMessage,
  TextWriter,
  UTF8,
} from 'roster-prediction/internals';
import { calls, says } from '../../testkit/chat/reply.js';
import { type ChatScript, openScriptedChatServer } from '../../testkit/chat/scripted-chat-server.js';
import { duckdbShop, installBeside, readStatements } from '../../testkit/databases/duckdb-shop.js';
import { postgresShop, sqliteShop } from '../../testkit/databases/shop.js';
import { ask, type Headers } from '../../testkit/http/client.js';
import { type Attack, type HostileRequest, hostileClients, MODELS, PROJECT, pouring, type Target } from './attacks.js';
import type { Family, Surroundings } from './family.js';

const ARROW = 'application/vnd.apache.arrow.stream';
const JSON_TYPE = { 'Content-Type': 'application/json' };
const MEBIBYTE = 2 ** 20;

/** A small table that trains the model whose rows are attacked. */
const TABLE = `t0,y\n${Array.from({ length: 60 }, (_, row) => `${'ab'[row % 2]},${row}\n`).join('')}`;

/** The tables that agents and trainings may read. */
const TABLES: readonly string[] = ['orders', 'customers'];

const SEARCH = 'can does every good have make more other only some take their them very will would';
/** Documents of an owner for each second of the attack: it takes a while to send them. */
const DOCUMENTS_A_SECOND = 2;
const DOCUMENT_BYTES = 1_000_000;

const ENDLESS =
  'with recursive numbers(n) as (select 1 union all select n + 1 from numbers) select count(*) as y, n as x from numbers group by n';

/** An agent answers, whatever became of its tools. */
const ANSWERED = [200];

/** Returns a schema and a dictionary of 40 MiB, and a batch of one row that may follow any number of times. */
function dictionaryStream(): { readonly begin: Buffer; readonly piece: Buffer } {
  const field: Field = { name: 't0', type: UTF8, children: [], dictionary: { id: 1, indexType: INT32 } };
  const texts = new TextWriter();
  for (let text = 0; text < 40; text += 1) {
    const noise = createHash('shake128', { outputLength: MEBIBYTE / 2 })
      .update(String(text))
      .digest('hex');
    texts.add(noise);
  }
  const values = new BatchBody();
  texts.write(values);
  const code = new BatchBody();
  code.node(1, 0);
  code.buffer(new Uint8Array());
  code.buffer(new Uint8Array(4));
  const begin = [...schemaMessage([field]), ...dictionaryMessage(1, 40, false, values)];
  return { begin: Buffer.concat(begin), piece: Buffer.concat(batchMessage(1, code)) };
}

/** Agents that search the largest documents for common words. */
function searches(name: string, settings: Pick<Attack, 'store'> = {}): Attack {
  return hostileClients(
    name,
    async (target, owner) => {
      await createAgent(target, owner, { type: 'retrieval', params: { source: 'notes' } });
      const paragraph = `${SEARCH} number of words in a passage\n\n`.repeat(3);
      const text = paragraph.repeat(DOCUMENT_BYTES / paragraph.length);
      const markdown = { ...owner, 'Content-Type': 'text/markdown' };
      for (let number = 0; number < DOCUMENTS_A_SECOND * target.seconds; number += 1) {
        const path = `${PROJECT}/skills/tool/documents/d${number}`;
        await ask('PUT', target.url + path, text, markdown);
      }
      return [question({ query: SEARCH })];
    },
    { expects: ANSWERED, ...settings },
  );
}

/** Queries without end, by agents and by trainings. */
function endless(name: string, database: string): Attack {
  return hostileClients(
    name,
    async (target, owner) => {
      await createAgent(target, owner, { type: 'sql', params: { database, tables: TABLES } });
      const source = { database, query: ENDLESS };
      return [question({ sql: ENDLESS }), jsonRequest('PUT', (number) => `${MODELS}/m${number}?target=y`, { source })];
    },
    { expects: ANSWERED },
  );
}

/** The time in which most statements for DuckDB have their turn, in seconds. */
const DUCKDB_SECONDS = 60;
/** The statements that are refused at once, between two that have no end. */
const REFUSED_BETWEEN = 7;

/** The places that statements name. Tests prove that none is read; here, none has to be there. */
const NOWHERE = {
  folder: '/nowhere',
  file: '/nowhere/shop.duckdb',
  orders: '/nowhere/orders',
  secret: '/nowhere/key.csv',
};

/** Statements of all kinds that the guard of DuckDB refuses, and such that have no end, by agents and by trainings. */
function hostileStatements(name: string, database: string): Attack {
  const [refused, endless] = [readStatements('hostile', NOWHERE), readStatements('endless', NOWHERE)];
  return hostileClients(
    name,
    async (target, owner) => {
      await createAgent(target, owner, { type: 'sql', params: { database, tables: TABLES } });
      return endless.flatMap((sql, at) => {
        const asked = [sql, ...refused.slice(at * REFUSED_BETWEEN, (at + 1) * REFUSED_BETWEEN)];
        const path = (number: number) => `${MODELS}/m${number}?target=y`;
        return [
          ...asked.map((each) => question({ sql: each })),
          jsonRequest('PUT', path, { source: { database, query: sql } }),
        ];
      });
    },
    { expects: ANSWERED, seconds: DUCKDB_SECONDS },
  );
}

async function createAgent(target: Target, owner: Headers, skill: object): Promise<void> {
  const project = target.url + PROJECT;
  await target.project(owner);
  await ask('POST', `${project}/skills`, { skill: { name: 'tool', ...skill } }, owner);
  await ask('POST', `${project}/agents`, { agent: { name: 'agent', skills: ['tool'] } }, owner);
}

/**
 * Asks an agent to use its tool once: a use may take ten seconds, and an answer is needed before the attack is over.
 * @param input of the tool
 */
function question(input: object): HostileRequest {
  const content = JSON.stringify([{ name: 'tool', arguments: input }]);
  const messages = [{ role: 'user', content }];
  return jsonRequest('POST', () => `${PROJECT}/agents/agent/completions`, { messages });
}

function jsonRequest(method: HostileRequest['method'], path: HostileRequest['path'], body: object): HostileRequest {
  return { method, path, headers: JSON_TYPE, body: Buffer.from(JSON.stringify(body)) };
}

/** Opens a chat server that calls the tools that the question asks for, and databases of each kind. */
async function openSurroundings(): Promise<Surroundings> {
  const chat = await openScriptedChatServer(asTheQuestionSays);
  const [sqlite, postgres, duckdb] = [await sqliteShop(), await postgresShop(), await duckdbShop()];
  const beside = installBeside();
  const databases = {
    duckdb: { views: { orders: duckdb.orders, customers: duckdb.orders }, training: TABLES },
    sqlite: { url: sqlite.url, training: TABLES },
    postgres: { url: postgres.url, training: TABLES },
  };
  return {
    settings: { CHAT_URL: chat.url, CHAT_MODEL: 'scripted', DATABASES: JSON.stringify(databases) },
    close: async () => {
      // First what would stay in the folder of the build.
      beside.remove();
      duckdb.remove();
      await chat.close();
      await sqlite.remove();
      await postgres.remove();
    },
  };
}

/** Calls the tools that the question names, as JSON, and says a word when it has their results. */
const asTheQuestionSays: ChatScript = ({ body }) => {
  const last = body.messages.at(-1);
  return last?.role === 'user' ? calls(...JSON.parse(String(last.content))) : says('done');
};

/**
 * Rows, searches and queries that keep processes and memory busy for as long as they may. Tests of the readers and of
 * the databases prove what each refuses; here, another owner is served meanwhile, and nothing outlives the service.
 */
export const hostile: Family = {
  name: 'hostile',
  bounds: { health: 250, memory: 1024 },
  attacks: [
    // Arrow streams that hold a dictionary just below what one may hold, and go on row by row. As many as the service
    // takes on at once are answered.
    pouring(
      'held-dictionaries',
      () => ({
        method: 'POST',
        path: () => `${MODELS}/wide/predict`,
        type: ARROW,
        length: 2 ** 32,
        ...dictionaryStream(),
        between: 200,
      }),
      {
        owners: 2,
        clients: 4,
        pause: 500,
        expects: [200],
        prepare: (target, owner) => target.model(owner, TABLE, `${MODELS}/wide`, 'y'),
      },
    ),
    searches('searches-sqlite'),
    searches('searches-postgres', { store: 'postgres' }),
    endless('endless-sqlite', 'sqlite'),
    endless('endless-postgres', 'postgres'),
    hostileStatements('statements-duckdb', 'duckdb'),
  ],
  open: openSurroundings,
  isHostile: true,
};
