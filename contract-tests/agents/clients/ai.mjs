/** Vercel's AI SDK over each of its packages for OpenAI's API: messages of a result and of a stream go back. */
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import { COST, NEXT, PARAMETERS, play, STOCK, settings } from './recorder.mjs';

const { baseURL, apiKey, model } = settings;
const user = (content) => ({ role: 'user', content });
const compatible = { name: 'roster', baseURL, apiKey };
const providers = {
  'openai-compatible': createOpenAICompatible(compatible)(model),
  'openai chat': createOpenAI({ baseURL, apiKey }).chat(model),
};
const { createOpenResponses } = await import('@ai-sdk/open-responses').catch(() => ({}));
if (createOpenResponses) {
  const url = `${baseURL}/responses`;
  providers['open-responses'] = createOpenResponses({ name: 'roster', url, apiKey })(model);
}

const stock = tool({ description: 'The stock.', inputSchema: jsonSchema(PARAMETERS), execute: () => '3' });
const thought = [
  { type: 'reasoning', text: 'Let me see.' },
  { type: 'text', text: 'Hello.' },
];
const earlier = [user(NEXT), { role: 'assistant', content: thought }];
const common = { stopWhen: stepCountIs(3), maxRetries: 0 };

async function turn(asked, isStreamed, tools) {
  const question = { ...common, ...(tools && { tools }), model: asked.model, messages: [...earlier, user(asked.text)] };
  const made = isStreamed ? streamText(question) : await generateText(question);
  if (isStreamed) for await (const part of made.fullStream) if (part.type === 'error') throw part.error;
  const { messages } = await made.response;
  await generateText({ ...question, messages: [...question.messages, ...messages, user(NEXT)] });
}

const features = Object.entries(providers).flatMap(([name, one]) => [
  [`${name}, whole`, () => turn({ model: one, text: COST }, false)],
  [`${name}, stream`, () => turn({ model: one, text: COST }, true)],
  [`${name}, whole, with a tool`, () => turn({ model: one, text: STOCK }, false, { stock })],
  [`${name}, stream, with a tool`, () => turn({ model: one, text: STOCK }, true, { stock })],
]);
await play(Object.fromEntries(features));
