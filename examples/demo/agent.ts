import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { agentEvents, answered, type RosterClient, untilReady } from 'roster-client';
import { openScriptedChatServer } from '../../testkit/chat/scripted-chat-server.js';
import { scriptCommand } from '../../testkit/command-line.js';
import { splitRows } from './hold-out.js';
import { scriptedJeweller } from './scripted-jeweller.js';
import { runDemo, say } from './service.js';
import { createStock } from './stock.js';

const DATASET = new URL('../../../datasets/diamonds.csv', import.meta.url);
const HOSTS = new URL('../../../docs/agents/hosts.md', import.meta.url);
const STOCK_ROWS = 200;

const QUESTIONS = ['What does an ideal diamond of 0.7 carat cost?', 'How many diamonds do we have in stock, by cut?'];

scriptCommand('demo:agent', 'Ask an agent about diamonds.').parse();

const isScripted = !process.env['CHAT_URL'];
const chat = isScripted ? await openScriptedChatServer(scriptedJeweller) : undefined;
const [training, stock] = splitRows(await readFile(DATASET, 'utf8'), STOCK_ROWS);
await runDemo(
  async (folder) => {
    const stockFile = join(folder, 'shop.db');
    createStock(stockFile, stock);
    return {
      ...(chat && { CHAT_URL: chat.url, CHAT_MODEL: 'scripted' }),
      DATABASES: JSON.stringify({ shop: `file:${stockFile}` }),
    };
  },
  async (roster, url) => {
    sayWhoAnswers();
    await createJeweller(roster, training);
    for (const question of QUESTIONS) await ask(roster, question);
    await createChatbot(roster);
    await sayWhatNext(url);
  },
).finally(() => chat?.close());

function sayWhoAnswers(): void {
  say(
    isScripted
      ? 'CHAT_URL is not set, so a script plays the language model: it chooses the tools and words by rules.\nThe numbers come from the model and the table. With CHAT_URL and CHAT_MODEL, a real one answers.\n'
      : `The language model ${process.env['CHAT_MODEL']} at CHAT_URL answers.\n`,
  );
}

/** Trains the model of prices, and creates an agent that may ask it and read the stock. */
async function createJeweller(roster: RosterClient, csv: string): Promise<void> {
  const path = { projectName: 'default', modelName: 'diamond_prices' };
  await answered(
    roster.PUT('/api/projects/{projectName}/models/{modelName}', {
      params: { path, query: { target: 'price' } },
      body: csv,
      headers: { 'Content-Type': 'text/csv' },
    }),
  );
  const { row_count } = await untilReady(roster, path, { every: 100 });
  say(`Trained the model "diamond_prices" on ${row_count.toLocaleString('en')} diamonds.`);
  const params = { path: { project_name: 'default' } };
  const skills = [
    { name: 'price_lookup', type: 'model', params: { model: 'diamond_prices' } },
    { name: 'stock', type: 'sql', params: { database: 'shop', tables: ['stock'] } },
  ];
  for (const skill of skills) {
    await answered(roster.POST('/projects/{project_name}/skills', { params, body: { skill } }));
  }
  const agent = {
    name: 'jeweller',
    prompt_template: 'Answer as a jeweller would, in dollars.',
    skills: skills.map(({ name }) => name),
  };
  await answered(roster.POST('/projects/{project_name}/agents', { params, body: { agent } }));
  say('Created the agent "jeweller" with two skills: that model, and a table of the stock.\n');
}

async function createChatbot(roster: RosterClient): Promise<void> {
  await answered(
    roster.POST('/projects/{project_name}/chatbots', {
      params: { path: { project_name: 'default' } },
      body: { chatbot: { name: 'shop_window', agent_name: 'jeweller' } },
    }),
  );
}

/** Asks the agent, and prints each step as it happens. */
async function ask(roster: RosterClient, question: string): Promise<void> {
  say(`> ${question}`);
  const events = agentEvents((streamed) =>
    roster.POST('/projects/{project_name}/agents/{agent_name}/completions/stream', {
      ...streamed,
      params: { path: { project_name: 'default', agent_name: 'jeweller' } },
      body: { messages: [{ question, answer: null }] },
    }),
  );
  for await (const event of events) {
    if ('steps' in event) {
      for (const { action, observation, milliseconds } of event.steps) {
        say(`  ${action.tool} ${JSON.stringify(action.tool_input)}`);
        say(`    → ${observation} (${milliseconds} ms)`);
      }
    } else if ('output' in event) say(`${event.output}\n`);
    else if ('type' in event && event.type === 'error') say(`  The answer failed: ${event.content}`);
  }
}

/** Returns what the documentation says to paste into Claude Code, for a service without keys. */
async function readHostCommand(url: string): Promise<string> {
  const [, command = ''] = /^```sh\n(.*)$/m.exec(await readFile(HOSTS, 'utf8')) ?? [];
  return command.replace('http://127.0.0.1:4000', url).replace(/ --header .*/, '');
}

async function sayWhatNext(url: string): Promise<void> {
  const body = JSON.stringify({ messages: [{ question: QUESTIONS[0], answer: null }] });
  say(`Open ${url} in a browser to talk to the jeweller, or try next:

  curl -sSN ${url}/projects/default/agents/jeweller/completions/stream \\
    -H 'Content-Type: application/json' -d '${body}'

Clients of OpenAI's API ask the model "jeweller" at ${url}/v1, with any key. Its tools in Claude Code:

  ${await readHostCommand(url)}

${url}/connect has the other hosts.

Press Ctrl-C to stop.`);
}
