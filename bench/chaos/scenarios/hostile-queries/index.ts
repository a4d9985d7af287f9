import { setTimeout as delay } from 'node:timers/promises';
import { ask, type Headers, send } from '../../../../testkit/http/client.js';
import { arrayOf, fieldOf, textOf } from '../../../../testkit/json.js';
import { type Finding, none, type Scenario } from '../../../scenario/scenario.js';
import type { Attack, Target } from '../../attacks/attack.js';
import { scenariosOf } from '../../attacks/family.js';
import { type HostileRequest, hostileClients } from '../../attacks/hostile-clients.js';
import { openSurroundings, TABLES } from './surroundings.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** The uses of tools that an answer may have. */
const USES = 32;

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

const attacks: readonly Attack[] = [
  searches('searches-sqlite'),
  searches('searches-postgres', { store: 'postgres' }),
  withHonestQuery(queries('deep-sums', 'postgres', [DEEP_SUM])),
  queries('long-sums', 'postgres', [LONG_SUM]),
  queries('json-cells', 'postgres', [
    'select cell from cells where id = 1',
    'select cell from cells where id = 2',
    'select json_agg(cell) from cells',
  ]),
  queries('endless-sqlite', 'sqlite', [ENDLESS]),
  queries('endless-postgres', 'postgres', [ENDLESS]),
  refusedStatements(),
];

/** Searches and statements by agents, and trainings from databases, that cost far more than they are long. */
export const hostileQueries: readonly Scenario[] = scenariosOf({
  name: 'hostile-queries',
  bounds: { health: 250, memory: 1024 },
  attacks,
  open: openSurroundings,
  isHostile: true,
});

/** Agents that search the largest documents for common words, as often as an answer may. */
function searches(name: string, settings: Pick<Attack, 'store'> = {}): Attack {
  return hostileClients(
    name,
    async (target, owner) => {
      await createAgent(target, owner, { type: 'retrieval', params: { source: 'notes' } });
      await fillDocuments(target, owner);
      return [question(Array.from({ length: USES }, () => ({ query: SEARCH })))];
    },
    { expects: ANSWERED, ...settings },
  );
}

async function fillDocuments({ url, seconds }: Target, owner: Headers): Promise<void> {
  const paragraph = `${SEARCH} number of words in a passage\n\n`.repeat(3);
  const text = paragraph.repeat(DOCUMENT_BYTES / paragraph.length);
  const markdown = { ...owner, 'Content-Type': 'text/markdown' };
  for (let number = 0; number < DOCUMENTS_A_SECOND * seconds; number += 1) {
    const path = `/projects/attackers/skills/tool/documents/d${number}`;
    await ask('PUT', url + path, text, markdown);
  }
}

/** Statements by agents and by trainings. */
function queries(name: string, database: string, statements: readonly string[]): Attack {
  return hostileClients(
    name,
    async (target, owner) => {
      const params = { database, tables: TABLES };
      await createAgent(target, owner, { type: 'sql', params });
      return statements.flatMap((sql) => [
        question(Array.from({ length: countUses(sql) }, () => ({ sql }))),
        training(database, sql),
      ]);
    },
    { expects: ANSWERED },
  );
}

/** Returns how many uses of a statement a question has room for. */
function countUses(sql: string): number {
  return Math.min(USES, Math.floor(QUESTION_BYTES / sql.length));
}

/** After the attack, another owner asks the same database. */
function withHonestQuery(attack: Attack): Attack {
  return {
    ...attack,
    prepare: async (target) => {
      const honest = await target.owner('honest');
      const params = { database: 'postgres', tables: TABLES };
      await createAgent(target, honest, { type: 'sql', params });
      const run = await attack.prepare(target);
      return async (over) => {
        await run(over);
        await delay(1000);
        const [step] = await askSteps(target, honest, [{ sql: 'select id from orders' }]);
        const fault = textOf(step, 'error');
        return [
          {
            asked: 'another owner queries the same database afterwards',
            measured: fault || textOf(step, 'result').slice(0, 60) || 'no result',
            passed: textOf(step, 'result') !== '',
          },
        ];
      };
    },
  };
}

/** Statements that must be refused. */
function refusedStatements(): Attack {
  return {
    name: 'refused-statements',
    prepare: async (target) => {
      const owner = await target.owner('refused');
      await createAgent(target, owner, {
        type: 'sql',
        params: { database: 'postgres', tables: TABLES },
      });
      const { url } = target;
      const system = { database: 'postgres', tables: ['pg_catalog.pg_authid', 'pg_class'] };
      return async (): Promise<readonly Finding[]> => {
        const steps = await askSteps(
          target,
          owner,
          REFUSED.map((sql) => ({ sql })),
        );
        const answered = REFUSED.filter((_, at) => textOf(steps[at], 'error') === '');
        const skill = { name: 'system', type: 'sql', params: system };
        const { status } = await send('POST', `${url}/projects/attackers/skills`, { skill }, owner);
        const tables = status < 300 ? [`a skill of ${system.tables.join(', ')}: ${status}`] : [];
        const all = REFUSED.length + 1;
        return [none('each statement and table is refused', [...answered, ...tables], `${all}`)];
      };
    },
  };
}

/** Asks an agent to use its tool. Returns the steps of its answer. */
async function askSteps(
  { url }: Target,
  owner: Headers,
  inputs: readonly object[],
): Promise<readonly unknown[]> {
  const { path, body } = question(inputs);
  const messages: unknown = JSON.parse(Buffer.from(body).toString());
  const { body: answer } = await send('POST', url + path(0), messages, owner);
  return arrayOf(fieldOf(answer, 'steps'));
}

async function createAgent({ url }: Target, owner: Headers, skill: object): Promise<void> {
  const project = `${url}/projects/attackers`;
  await ask('POST', `${url}/projects`, { project: { name: 'attackers' } }, owner);
  await ask('POST', `${project}/skills`, { skill: { name: 'tool', ...skill } }, owner);
  await ask('POST', `${project}/agents`, { agent: { name: 'agent', skills: ['tool'] } }, owner);
}

/** @param inputs of the uses of the agent's tool */
function question(inputs: readonly object[]): HostileRequest {
  const calls = inputs.map((input) => ({ name: 'tool', arguments: input }));
  const messages = [{ role: 'user', content: JSON.stringify(calls) }];
  return {
    ...{ method: 'POST', path: () => '/projects/attackers/agents/agent/completions' },
    ...{ headers: JSON_TYPE, body: Buffer.from(JSON.stringify({ messages })) },
  };
}

function training(database: string, query: string): HostileRequest {
  return {
    ...{ method: 'PUT', path: (number) => `/api/projects/attackers/models/m${number}?target=y` },
    ...{ headers: JSON_TYPE, body: Buffer.from(JSON.stringify({ source: { database, query } })) },
  };
}
