import { readFile } from 'node:fs/promises';
import { answered, type RosterClient, rowWarnings, untilReady } from 'roster-client';
import { scriptCommand } from '../../testkit/command-line.js';
import { holdOut } from './hold-out.js';
import { writeTable } from './prediction-table.js';
import { runDemo, say } from './service.js';

const DATASET = new URL('../../../datasets/diamonds.csv', import.meta.url);
const HELD_OUT_ROWS = 1000;
const SHOWN_ROWS = 12;
const CONFIDENCE = 0.9;

scriptCommand('demo', 'Train a model of diamonds, and predict with it.').parse();

await runDemo(
  async () => ({}),
  async (roster, url) => {
    say('');
    await trainAndPredict(roster);
    await createAssistant(roster);
    sayWhatNext(url);
  },
);

async function trainAndPredict(roster: RosterClient): Promise<void> {
  const { csv, heldOut } = holdOut(await readFile(DATASET, 'utf8'), HELD_OUT_ROWS);
  const path = { projectName: 'default', modelName: 'diamond_prices' };

  const begin = performance.now();
  const training = await answered(
    roster.PUT('/api/projects/{projectName}/models/{modelName}', {
      params: { path, query: { target: 'price' } },
      body: csv,
      headers: { 'Content-Type': 'text/csv' },
    }),
  );
  say(`Training the model "diamond_prices" on ${training.row_count.toLocaleString('en')} diamonds …`);
  const model = await untilReady(roster, path, { every: 100 });
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  if (model.task !== 'regression') throw new Error('Prices are numbers.');
  const { r2, mae } = model.metrics ?? { r2: 0, mae: 0 };
  say(
    `… done in ${seconds} s. On rows it did not learn from it explains ${percent(r2)} of the variance, and is off by $${Math.round(mae)} on average.\n`,
  );

  const predictions = await answered(
    roster.POST('/api/projects/{projectName}/models/{modelName}/predict', {
      params: { path, query: { confidence: CONFIDENCE } },
      body: heldOut,
    }),
  );
  const every = Math.floor(predictions.length / SHOWN_ROWS);
  say(`Prices of ${SHOWN_ROWS} diamonds that the model has never seen, in dollars:\n`);
  say(`${writeTable(predictions.filter((_, index) => index % every === 0).slice(0, SHOWN_ROWS))}\n`);
  const inside = predictions.filter((row) => row['price_anomaly'] === false).length;
  say(
    `Of ${predictions.length.toLocaleString('en')} held-out diamonds, ${inside} have their true price inside the interval; at a confidence of ${CONFIDENCE} about ${predictions.length * CONFIDENCE} should.\n`,
  );
  await showWarnings(roster, path);
}

/** Misspells a column, which the answer reports. */
async function showWarnings(roster: RosterClient, path: { projectName: string; modelName: string }): Promise<void> {
  const { response } = await roster.POST('/api/projects/{projectName}/models/{modelName}/predict', {
    params: { path },
    body: [{ carat: 0.7, colour: 'G' }],
  });
  for (const { name, nearest } of rowWarnings(response).warnings) {
    say(`A row with "${name}" was sent, which the model does not know; it has "${nearest}".\n`);
  }
}

async function createAssistant(roster: RosterClient): Promise<void> {
  const params = { path: { project_name: 'default' } };
  const skill = await answered(
    roster.POST('/projects/{project_name}/skills', {
      params,
      body: { skill: { name: 'price_lookup', type: 'model', params: { model: 'diamond_prices' } } },
    }),
  );
  const agent = await answered(
    roster.POST('/projects/{project_name}/agents', {
      params,
      body: {
        agent: { name: 'jeweller', skills: [skill.name], prompt_template: 'Answer as a jeweller would: {{question}}' },
      },
    }),
  );
  const chatbot = await answered(
    roster.POST('/projects/{project_name}/chatbots', {
      params,
      body: { chatbot: { name: 'shop_window', agent_name: agent.name } },
    }),
  );
  say(
    `Created the skill "${skill.name}", the agent "${agent.name}" that uses it, and the chatbot "${chatbot.name}" in front of the agent.\n`,
  );
}

function sayWhatNext(url: string): void {
  const rows =
    '[{"carat":0.7,"cut":"Ideal","color":"G","clarity":"VS2","depth":61.7,"table":56,"x":5.69,"y":5.73,"z":3.52}]';
  say(`Open ${url} in a browser to see the model, or try next:

  curl -sSw '\\n' ${url}/projects/default/agents/jeweller
  curl -sSw '\\n' "${url}/projects/default/skills?agent=jeweller"
  curl -sSw '\\n' ${url}/api/projects/default/models/diamond_prices
  curl -sSw '\\n' ${url}/api/projects/default/models/diamond_prices/predict \\
    -H 'Content-Type: application/json' -d '${rows}'
  curl -sSw '\\n' ${url}/projects/default/chatbots/shop_window
  curl -X DELETE ${url}/projects/default/agent/jeweller

Press Ctrl-C to stop, which also frees the port for npm start.`);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
