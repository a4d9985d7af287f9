/**
 * Takes the pictures of the README, in `docs/images/`, and with `--all` one of each view of the console, in both
 * colours and three widths, in `dist/screenshots/`.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { browserOfThisMachine, launch, NO_BROWSER } from '../../testkit/browser.js';
import { type ChatReply, calls, says } from '../../testkit/chat/reply.js';
import { openScriptedChatServer, type ReceivedRequest } from '../../testkit/chat/scripted-chat-server.js';
import { scriptCommand } from '../../testkit/command-line.js';
import { ask } from '../../testkit/http/client.js';
import { readText } from '../../testkit/json.js';
import { WAIT_MS } from '../../testkit/patience.js';
import { root } from '../../testkit/root.js';
import { startServer } from '../../testkit/service/server-process.js';
import { untilReadyAt } from '../../testkit/service/train-prices.js';

const MODEL = '/projects/default/models/diamond_prices';

/** The views by the names of their pictures. */
const VIEWS = {
  start: '/',
  train: '/projects/default/models/~new',
  model: MODEL,
  report: `${MODEL}/report`,
  'model-of-classes': '/projects/default/models/diamond_cuts',
  'try-a-row': `${MODEL}/try`,
  'try-a-row-of-classes': '/projects/default/models/diamond_cuts/try',
  'model-that-forecasts': '/projects/default/models/house_sales',
  'try-a-forecast': '/projects/default/models/house_sales/try',
  'predict-a-file': `${MODEL}/predict`,
  record: `${MODEL}/record`,
  versions: `${MODEL}/versions`,
  skills: '/projects/default/skills',
  'new-skill': '/projects/default/skills/~new',
  skill: '/projects/default/skills/price_list',
  documents: '/projects/default/skills/care_instructions/documents',
  document: '/projects/default/skills/care_instructions/documents/care.md',
  'new-agent': '/projects/default/agents/~new',
  agent: '/projects/default/agents/jeweller',
  talk: '/projects/default/agents/jeweller/talk',
  chatbot: '/projects/default/chatbots/shop_window',
  conversations: '/projects/default/chatbots/shop_window/conversations',
  projects: '/projects',
  key: '/key',
};

const COLOURS = ['light', 'dark'] as const;
const WIDTHS = [1680, 1280, 390];
const HEIGHT = 860;
/** The height of the README's picture, which has the plots of the calibration, too. */
const PICTURE_HEIGHT = 1390;
const CSV = { 'Content-Type': 'text/csv' };

const { all } = scriptCommand('screenshots', 'Take the pictures of the README.')
  .option('--all', 'take one of each view of the console, too')
  .parse()
  .opts<{ readonly all?: true }>();
const executable = browserOfThisMachine();
if (executable === undefined) throw new Error(`No pictures: ${NO_BROWSER}`);
const chat = await openScriptedChatServer(playJeweller);
const server = await startServer({ env: { DATABASE_URL: ':memory:', CHAT_URL: chat.url, CHAT_MODEL: 'scripted' } });
const browser = await launch(executable);
try {
  await fillStore(server.url);
  const conversation = await converse(server.url);
  if (all) {
    await takeAll({ ...VIEWS, conversation: `${VIEWS.conversations}/${conversation}` });
  }
  for (const colorScheme of COLOURS) {
    const page = await openView(MODEL, colorScheme, 1280, PICTURE_HEIGHT);
    await take(page, new URL(`docs/images/model-${colorScheme}.png`, root), false);
  }
} finally {
  await browser.close();
  await server.stop();
  await chat.close();
}

async function takeAll(views: Readonly<Record<string, string>>): Promise<void> {
  for (const colorScheme of COLOURS) {
    for (const width of WIDTHS) {
      for (const [name, view] of Object.entries(views)) {
        const page = await openView(view, colorScheme, width, HEIGHT);
        const file = `dist/screenshots/console/${name}-${colorScheme}-${width}.png`;
        await take(page, new URL(file, root), true);
      }
    }
  }
}

async function openView(view: string, colorScheme: 'light' | 'dark', width: number, height: number): Promise<Page> {
  const context = await browser.newContext({ colorScheme, viewport: { width, height } });
  context.setDefaultTimeout(WAIT_MS);
  const page = await context.newPage();
  await page.goto(`${server.url}/#${view}`, { waitUntil: 'networkidle' });
  await page.locator('h1').waitFor();
  return page;
}

async function take(page: Page, file: URL, isWhole: boolean): Promise<void> {
  await mkdir(new URL('.', file), { recursive: true });
  await page.screenshot({ path: fileURLToPath(file), fullPage: isWhole });
  await page.context().close();
}

/** Trains a model of each task, twice for prices, adds truths, and creates what a shop needs. */
async function fillStore(url: string): Promise<void> {
  const read = (name: string) => readFile(new URL(`datasets/${name}.csv`, root), 'utf8');
  const table = await read('diamonds');
  const half = table.split('\n').slice(0, 5_000).join('\n');
  const forecast = 'sales&order_by=date&group_by=city&horizon=12';
  for (const [name, target, csv] of [
    ['diamond_prices', 'price', half],
    ['diamond_prices', 'price', table],
    ['diamond_cuts', 'cut', table],
    ['house_sales', forecast, await read('txhousing')],
  ]) {
    const model = `${url}/api/projects/default/models/${name}`;
    await ask('PUT', `${model}?target=${target}`, csv, CSV);
    await untilReadyAt(model);
  }
  await addTruths(`${url}/api${MODEL}`, half);
  const create = (kind: string, body: object) => ask('POST', `${url}/projects/default/${kind}`, body);
  const care = 'care_instructions';
  await create('skills', {
    skill: { name: 'price_list', type: 'sql', params: { database: 'shop', tables: ['stock'] } },
  });
  await create('skills', { skill: { name: 'appraise', type: 'model', params: { model: 'diamond_prices' } } });
  await create('skills', { skill: { name: care, type: 'knowledge_base', params: {} } });
  await ask(
    'PUT',
    `${url}/projects/default/skills/${care}/documents/care.md`,
    '# Cleaning\n\nClean a diamond in warm water with a little soap.\n',
    { 'Content-Type': 'text/markdown' },
  );
  await create('agents', {
    agent: {
      name: 'jeweller',
      prompt_template: 'Advise people who buy a diamond: {{question}}',
      skills: ['appraise', care],
    },
  });
  await create('chatbots', { chatbot: { name: 'shop_window', agent_name: 'jeweller' } });
}

/** Lets a model predict the rows of a table, and sends their true values. */
async function addTruths(model: string, table: string): Promise<void> {
  const [names, ...rows] = table.trimEnd().split('\n');
  const numbered = [`${names},row`, ...rows.map((row, at) => `${row},${at}`)].join('\n');
  await ask('POST', `${model}/predict?remember=true&id=row`, numbered, CSV);
  await ask('POST', `${model}/actuals?id=row`, numbered, CSV);
}

/** Begins a conversation, in which a question is answered with a step. Returns its identifier. */
async function converse(url: string): Promise<string> {
  const conversations = `${url}/projects/default/chatbots/shop_window/conversations`;
  const begun = await ask('POST', conversations, { conversation: { title: 'A ring' } });
  const id = readText(begun, 'id');
  await ask('POST', `${conversations}/${id}/messages`, {
    message: { content: 'What does an ideal diamond of 0.7 carat cost?' },
  });
  return id;
}

/** Plays a language model that asks the model of prices once, and then answers. */
function playJeweller({ body: { messages } }: ReceivedRequest): ChatReply {
  return messages.at(-1)?.role === 'tool'
    ? says('It costs about 2,750 dollars. The step above has the interval.')
    : calls({ name: 'appraise', arguments: { carat: 0.7, cut: 'Ideal', color: 'G' } });
}
