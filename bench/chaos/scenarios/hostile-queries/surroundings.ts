import { calls, says } from '../../../../testkit/chat/reply.js';
import {
  type ChatScript,
  openScriptedChatServer,
} from '../../../../testkit/chat/scripted-chat-server.js';
import { postgresShop, type Shop, sqliteShop } from '../../../../testkit/databases/shop.js';
import type { Surroundings } from '../../attacks/family.js';

/** The tables that agents and trainings may read. */
export const TABLES: readonly string[] = ['orders', 'customers', 'cells'];

/** A text of JSON of 16 MiB, and one that nests deep. */
const LARGE_CELL = `(select json_agg(repeat('x', 1000)) from generate_series(1, 16000))`;
const DEEP_CELL = `(repeat('[', 5000) || repeat(']', 5000))::json`;

/**
 * A chat server that calls the tools that the question asks for, databases of both kinds, and a PostgreSQL for the
 * store.
 */
export async function openSurroundings(): Promise<Surroundings> {
  const chat = await openScriptedChatServer(asTheQuestionSays);
  const shops: Shop[] = [await sqliteShop(), await postgresShop()];
  const [sqlite, postgres] = shops;
  await sqlite?.execute(`create table cells (id integer, cell text)`);
  await postgres?.execute(
    `create table cells as select 1 as id, ${LARGE_CELL} as cell
      union all select 2, ${DEEP_CELL}`,
  );
  const databases = {
    sqlite: { url: sqlite?.url, training: TABLES },
    postgres: { url: postgres?.url, training: TABLES },
  };
  return {
    settings: {
      ...{ CHAT_URL: chat.url, CHAT_MODEL: 'scripted', DATABASES: JSON.stringify(databases) },
    },
    store: async () => (await postgres?.create?.('store')) ?? '',
    close: async () => {
      await chat.close();
      for (const shop of shops) await shop.remove();
    },
  };
}

/** Calls the tools that the question names, as JSON, and says a word when it has their results. */
const asTheQuestionSays: ChatScript = ({ body }) => {
  const last = body.messages.at(-1);
  return last?.role === 'user' ? calls(...JSON.parse(last.content)) : says('done');
};
