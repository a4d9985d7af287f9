import { setTimeout as delay } from 'node:timers/promises';
import { asArray } from '../../contract/json-record.js';
import { calls, says } from '../../testkit/chat/reply.js';
import { type ChatScript, openScriptedChatServer } from '../../testkit/chat/scripted-chat-server.js';
import { postgresShop, sqliteShop } from '../../testkit/databases/shop.js';
import { ask, type Headers, send } from '../../testkit/http/client.js';
import { readField, readText } from '../../testkit/json.js';
import { type Finding, none } from '../scenarios.js';
import {
  type Attack,
  byOne,
  type HostileRequest,
  hostileClients,
  MODELS,
  PROJECT,
  type RunAttack,
  type Target,
} from './attacks.js';
import type { Family, Surroundings } from './family.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** The tables that agents and trainings may read. */
const TABLES: readonly string[] = ['orders', 'customers', 'cells'];

/** The uses of tools that an answer may have. */
const USES = 32;

/** Of uses that may take ten seconds each: with one, an answer is there before an attack is over. */
const SLOW_USES = 1;

/** A little less than a message may have. */
const QUESTION_BYTES = 90_000;

const SEARCH = 'can does every good have make more other only some take their them very will would';
/** Documents of an owner for each second of the attack: it takes a while to send them. */
const DOCUMENTS_A_SECOND = 2;
const DOCUMENT_BYTES = 1_000_000;

/** A statement of 16 KiB that nests eight thousand deep. */
const DEEP_SUM = `SELECT 1${'+1'.repeat(8188)}`;
/** A sum of as many terms as a statement may have. */
const LONG_SUM = `SELECT 1${'+1'.repeat(2498)} AS y`;
const ENDLESS =
  'with recursive numbers(n) as (select 1 union all select n + 1 from numbers) select count(*) as y, n as x from numbers group by n';

/** Statements whose operators and casts call functions that agents must not call, or read the system. */
const REFUSED = [
  'select 1 =#= 1 as y from orders',
  'select c::text as y from customers c',
  'select * from pg_catalog.pg_authid',
  'select * from information_schema.tables',
];

/** An agent answers, whatever became of its tools. */
const ANSWERED = [200];

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
      return [question(Array.from({ length: SLOW_USES }, () => ({ query: SEARCH })))];
    },
    { expects: ANSWERED, ...settings },
  );
}

/** Statements by agents and by trainings. */
function queries(name: string, database: string, statements: readonly string[], maxUses = USES): Attack {
  return hostileClients(
    name,
    async (target, owner) => {
      await createSqlAgent(target, owner, database);
      return statements.flatMap((sql) => {
        const uses = Math.min(maxUses, Math.floor(QUESTION_BYTES / sql.length));
        return [
          question(Array.from({ length: uses }, () => ({ sql }))),
          jsonRequest('PUT', (number) => `${MODELS}/m${number}?target=y`, { source: { database, query: sql } }),
        ];
      });
    },
    { expects: ANSWERED },
  );
}

/** After the attack, another owner asks the same database. */
function withHonestQuery(attack: Attack): Attack {
  const prepare = async (target: Target): Promise<RunAttack> => {
    const honest = await target.owner('honest');
    await createSqlAgent(target, honest, 'postgres');
    const run = await attack.prepare(target);
    return async (over) => {
      await run(over);
      await delay(1000);
      const [step] = await askSteps(target, honest, [{ sql: 'select id from orders' }]);
      const result = readText(step, 'result');
      const measured = readText(step, 'error') || result.slice(0, 60) || 'no result';
      const asked = 'another owner queries the same database afterwards';
      return [{ asked, measured, passed: result !== '' }];
    };
  };
  return { ...attack, prepare };
}

async function refusedStatements(target: Target, owner: Headers) {
  await createSqlAgent(target, owner, 'postgres');
  const system = { database: 'postgres', tables: ['pg_catalog.pg_authid', 'pg_class'] };
  return async (): Promise<readonly Finding[]> => {
    const inputs = REFUSED.map((sql) => ({ sql }));
    const steps = await askSteps(target, owner, inputs);
    const answered = REFUSED.filter((_, at) => readText(steps[at], 'error') === '');
    const skill = { name: 'system', type: 'sql', params: system };
    const { status } = await send('POST', `${target.url}${PROJECT}/skills`, { skill }, owner);
    const tables = status < 300 ? [`a skill of ${system.tables.join(', ')}: ${status}`] : [];
    const all = REFUSED.length + 1;
    return [none('each statement and table is refused', [...answered, ...tables], `${all}`)];
  };
}

/** Asks an agent to use its tool. Returns the steps of its answer. */
async function askSteps({ url }: Target, owner: Headers, inputs: readonly object[]): Promise<readonly unknown[]> {
  const { body } = await send('POST', url + COMPLETIONS, messagesFor(inputs), owner);
  return asArray(readField(body, 'steps'));
}

function createSqlAgent(target: Target, owner: Headers, database: string): Promise<void> {
  return createAgent(target, owner, { type: 'sql', params: { database, tables: TABLES } });
}

async function createAgent(target: Target, owner: Headers, skill: object): Promise<void> {
  const project = target.url + PROJECT;
  await target.project(owner);
  await ask('POST', `${project}/skills`, { skill: { name: 'tool', ...skill } }, owner);
  await ask('POST', `${project}/agents`, { agent: { name: 'agent', skills: ['tool'] } }, owner);
}

const COMPLETIONS = `${PROJECT}/agents/agent/completions`;

/** @param inputs of the uses of the agent's tool */
function messagesFor(inputs: readonly object[]) {
  const calls = inputs.map((input) => ({ name: 'tool', arguments: input }));
  return { messages: [{ role: 'user', content: JSON.stringify(calls) }] };
}

function question(inputs: readonly object[]): HostileRequest {
  return jsonRequest('POST', () => COMPLETIONS, messagesFor(inputs));
}

function jsonRequest(method: HostileRequest['method'], path: HostileRequest['path'], body: object): HostileRequest {
  return { method, path, headers: JSON_TYPE, body: Buffer.from(JSON.stringify(body)) };
}

/** A text of JSON of 16 MiB, and one that nests deep. */
const LARGE_CELL = `(select json_agg(repeat('x', 1000)) from generate_series(1, 16000))`;
const DEEP_CELL = `(repeat('[', 5000) || repeat(']', 5000))::json`;

/** A chat server that calls the tools that the question asks for, and databases of both kinds. */
async function openSurroundings(): Promise<Surroundings> {
  const chat = await openScriptedChatServer(asTheQuestionSays);
  const [sqlite, postgres] = [await sqliteShop(), await postgresShop()];
  await sqlite.execute('create table cells (id integer, cell text)');
  await postgres.execute(
    `create table cells as select 1 as id, ${LARGE_CELL} as cell
      union all select 2, ${DEEP_CELL}`,
  );
  const databases = {
    sqlite: { url: sqlite.url, training: TABLES },
    postgres: { url: postgres.url, training: TABLES },
  };
  return {
    settings: { CHAT_URL: chat.url, CHAT_MODEL: 'scripted', DATABASES: JSON.stringify(databases) },
    close: async () => {
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

/** Searches and statements by agents, and trainings from databases, that cost far more than they are long. */
export const hostileQueries: Family = {
  name: 'hostile-queries',
  bounds: { health: 250, memory: 1024 },
  attacks: [
    searches('searches-sqlite'),
    searches('searches-postgres', { store: 'postgres' }),
    withHonestQuery(queries('deep-sums', 'postgres', [DEEP_SUM])),
    queries('long-sums', 'postgres', [LONG_SUM]),
    queries('json-cells', 'postgres', [
      'select cell from cells where id = 1',
      'select cell from cells where id = 2',
      'select json_agg(cell) from cells',
    ]),
    queries('endless-sqlite', 'sqlite', [ENDLESS], SLOW_USES),
    queries('endless-postgres', 'postgres', [ENDLESS], SLOW_USES),
    byOne('refused-statements', refusedStatements),
  ],
  open: openSurroundings,
  isHostile: true,
};
