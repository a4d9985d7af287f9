/** OpenAI's Agents SDK over both of its models: the history of a run goes into the next one. */
import { Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, run, setTracingDisabled, tool } from '@openai/agents';
import OpenAI from 'openai';
import { z } from 'zod';
import { COST, FORM, NEXT, play, STOCK, settings } from './recorder.mjs';

setTracingDisabled(true);
const { model, ...at } = settings;
const client = new OpenAI({ ...at, maxRetries: 0 });
const stock = tool({
  name: 'stock',
  description: 'The stock.',
  parameters: z.object({ carat: z.number() }),
  execute: () => '3',
});
const Price = z.object({ price: z.number(), currency: z.enum(['USD', 'EUR']) });
const store = { modelSettings: { store: false } };

async function turns(agent, text, isStreamed) {
  let history = [];
  for (const content of [text, NEXT, NEXT]) {
    const result = await run(agent, [...history, { role: 'user', content }], { stream: isStreamed });
    if (isStreamed) await result.completed;
    history = result.history;
  }
}

const models = {
  chat: new OpenAIChatCompletionsModel(client, model),
  responses: new OpenAIResponsesModel(client, model),
};
const features = Object.entries(models).flatMap(([name, one]) => {
  const plain = new Agent({ name: 'buyer', model: one, ...store });
  const able = new Agent({ name: 'buyer', instructions: 'Buy.', model: one, tools: [stock], ...store });
  const formal = new Agent({ name: 'buyer', model: one, outputType: Price, ...store });
  return [
    [`${name}, run`, () => turns(plain, COST, false)],
    [`${name}, stream`, () => turns(plain, COST, true)],
    [`${name}, run, with a tool`, () => turns(able, STOCK, false)],
    [`${name}, stream, with a tool`, () => turns(able, STOCK, true)],
    [`structured ${name}, outputType`, async () => (await run(formal, FORM)).finalOutput],
    [
      `structured ${name}, goes on`,
      async () => {
        const { history } = await run(formal, FORM);
        return (await run(formal, [...history, { role: 'user', content: FORM }])).finalOutput;
      },
    ],
  ];
});
await play(Object.fromEntries(features));
