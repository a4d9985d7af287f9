import { fewDiamonds } from '../../testkit/data/diamonds.js';
import { recordOf } from '../fuzz/values/schema.js';
import { FAILURES } from './chat-script.js';
import type { Session } from './session.js';

const PROJECT = '/projects/default';

const SKILLS: Readonly<Record<string, object>> = {
  prices: { type: 'model', params: { model: 'diamonds' } },
  orders: { type: 'sql', params: { database: 'sales', tables: ['orders'] } },
  forbidden: { type: 'sql', params: { database: 'sales', tables: ['nothing'] } },
  no_database: { type: 'sql', params: { database: 'none', tables: ['orders'] } },
  no_tables: { type: 'sql', params: { database: 'sales' } },
  no_model: { type: 'model', params: { model: 'none' } },
  no_params: { type: 'model' },
  care: { type: 'retrieval', params: { source: 'care of jewels' } },
  base: { type: 'knowledge_base', params: { description: 'Opening hours.' } },
  web: { type: 'search', params: { description: 'Searches the web.' } },
};

const AGENTS: Readonly<Record<string, object>> = {
  bare: {},
  pricing: { skills: ['prices'] },
  selling: { skills: ['orders'], prompt_template: 'Speak as a jeweller.' },
  caring: { skills: ['care', 'base'], settings: { temperature: 0.3 } },
  all: { skills: Object.keys(SKILLS).filter((name) => !/^no_|forbidden/.test(name)) },
  small: { model_name: 'small' },
  unknown_model: { model_name: 'gpt-4o' },
  unknown_skill: { skills: ['nothing'] },
};

/** Texts of language models, sent to each agent; those of the first agents have no tools. */
const QUESTIONS = [
  'Hello?',
  '{"carat":0.7,"cut":"Ideal","colour":"G"}',
  '{"carat":"heavy","cut":"Ideal"}',
  '{"sql":"select cut, sum(price) as sum from orders group by cut order by cut"}',
  '{"sql":"select * from secrets"}',
  '{"sql":"drop table orders"}',
  '{"sql":"select 1; select 2"}',
  '{"sql":"selec"}',
  '{"sql":"with a as (select price from orders) select max(price), null, 1.5, x\'00\' from a"}',
  '{"sql":"select load_extension(1)"}',
  '{"sql":"select pragma_table_info(1) from orders"}',
  '{"sql":"select a.price from orders a, orders b, orders c where a.price > 1"}',
  '{"query":"How do I clean a ring?"}',
  '{"query":""}',
  '#none {"a":1}',
  '#again {"carat":1}',
  ...Object.keys(FAILURES),
];

const DOCUMENTS: readonly (readonly [name: string, type: string, text: string | Buffer])[] = [
  [
    'care.md',
    'text/markdown',
    '# Rings\n\nClean a ring in warm water.\n\n# Chains\n\nDo not pull.',
  ],
  ['hours.txt', 'text/plain; charset=UTF-8', 'Open from nine to five.\r\n日本語 😀'],
  ['long.txt', 'text/plain', 'A ring is round. '.repeat(2000)],
  ['bad.txt', 'text/plain', Buffer.from([0x47, 0x72, 0xf6, 0xdf, 0x65])],
  ['nul.txt', 'text/plain', 'a\u0000b'],
  ['empty.txt', 'text/plain', ''],
  ['page.html', 'text/html', '<p>'],
  ['a b', 'text/plain', 'text'],
];

const SOURCES = [
  'select carat, cut, price from stones',
  'select carat, cut, price from stones order by price limit 10',
  'select carat, price as carat from stones',
  'select price from orders',
  'select * from secrets',
  'selec',
  'delete from stones',
  '',
];

/** Creates agents with tools, asks them everything, and lets chatbots converse. */
export async function sendAgents(session: Session): Promise<void> {
  const model = '/api/projects/default/models/diamonds?target=price';
  const headers = { 'Content-Type': 'text/csv' };
  const sent = { method: 'PUT', path: model, headers, body: fewDiamonds };
  await session.send('diamonds', 'trainModel', sent);
  for (const name of ['first', 'first', 'second']) {
    const body = JSON.stringify({ skill: { name, type: 'lookup' } });
    const keyed = { 'Content-Type': 'application/json', 'Idempotency-Key': 'of-a-skill' };
    const creation = { method: 'POST', path: `${PROJECT}/skills`, headers: keyed, body };
    await session.send(`skill ${name} under a key`, 'createSkill', creation);
  }
  for (const [name, fields] of Object.entries(SKILLS)) {
    const body = { skill: { name, ...fields } };
    await session.json(`skill ${name}`, 'createSkill', 'POST', `${PROJECT}/skills`, body);
    for (const [document, type, text] of DOCUMENTS) {
      const path = `${PROJECT}/skills/${name}/documents/${encodeURIComponent(document)}`;
      const put = { method: 'PUT', path, headers: { 'Content-Type': type }, body: text };
      await session.send(`document ${document} of ${name}`, 'putDocument', put);
      await session.json(`read ${document} of ${name}`, 'getDocument', 'GET', path);
    }
    await session.json(
      `documents of ${name}`,
      'listDocuments',
      'GET',
      `${PROJECT}/skills/${name}/documents`,
    );
  }
  for (const [name, fields] of Object.entries(AGENTS)) {
    const body = { agent: { name, ...fields } };
    await session.json(`agent ${name}`, 'createAgent', 'POST', `${PROJECT}/agents`, body);
    await sendQuestions(session, name);
    await sendConversation(session, name);
  }
  await sendSources(session);
}

async function sendQuestions(session: Session, agent: string): Promise<void> {
  const path = `${PROJECT}/agents/${agent}/completions`;
  for (const question of QUESTIONS) {
    const body = { messages: [{ question: 'First?', answer: 'Yes.' }, { question }] };
    await session.json(`${agent}, ${question}`, 'completeAgent', 'POST', path, body);
    const roles = { messages: [{ role: 'user', content: question }] };
    const what = `${agent}, stream ${question}`;
    await session.json(what, 'streamAgent', 'POST', `${path}/stream`, roles);
  }
}

async function sendConversation(session: Session, agent: string): Promise<void> {
  const chatbot = `${PROJECT}/chatbots/of_${agent}`;
  const body = { chatbot: { name: `of_${agent}`, agent_name: agent, settings: { history: 2 } } };
  await session.json(`chatbot of ${agent}`, 'createChatbot', 'POST', `${PROJECT}/chatbots`, body);
  const all = `${chatbot}/conversations`;
  const begun = await session.json(`talk to ${agent}`, 'createConversation', 'POST', all, {
    conversation: {},
  });
  const messages = `${all}/${String(recordOf(begun?.json)['id'])}/messages`;
  for (const [number, content] of [...QUESTIONS, '', ' '].entries()) {
    const request = {
      method: 'POST',
      path: messages,
      headers: {
        'Content-Type': 'application/json',
        ...(number % 2 ? { Accept: 'text/event-stream' } : {}),
        ...(number % 3 ? {} : { 'Idempotency-Key': `${agent}-${number}` }),
      },
      body: JSON.stringify({ message: { content } }),
    };
    await session.send(`say ${content} to ${agent}`, 'sendMessage', request);
    if (number % 3 === 0) {
      await session.send(`say ${content} to ${agent} again`, 'sendMessage', request);
    }
  }
  const listed = await session.json(`messages of ${agent}`, 'listMessages', 'GET', messages);
  const kept: unknown[] = Array.isArray(listed?.json) ? listed.json : [];
  for (const [number, message] of kept.slice(0, 12).entries()) {
    const path = `${messages}/${String(recordOf(message)['id'])}/reply`;
    await session.json(`reply ${number} of ${agent}`, 'replyToMessage', 'POST', path);
  }
  const page = `${messages}?limit=3`;
  await session.json(`page of messages of ${agent}`, 'listMessages', 'GET', page);
  await session.json(`conversations of ${agent}`, 'listConversations', 'GET', all);
}

async function sendSources(session: Session): Promise<void> {
  const model = '/api/projects/default/models/sourced';
  for (const query of SOURCES) {
    for (const database of ['sales', 'shut', 'none']) {
      const body = { source: { database, query } };
      const what = `${database}, ${query}`;
      await session.json(`train from ${what}`, 'trainModel', 'PUT', `${model}?target=price`, body);
      await session.json(`train again from ${what}`, 'retrainModel', 'POST', `${model}/retrain`);
    }
  }
}
