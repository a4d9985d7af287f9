/** Vercel's AI SDK over each of its packages for OpenAI's API: messages of a result and of a stream go back. */
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateObject, generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai';
import { COST, FORM, NEXT, PARAMETERS, PRICE, play, STOCK, settings } from './recorder.mjs';

// Standard output has the requests.
globalThis.AI_SDK_LOG_WARNINGS = false;

const { baseURL, apiKey, model } = settings;
const user = (content) => ({ role: 'user', content });
const compatible = { name: 'roster', baseURL, apiKey };
const providers = {
  'openai-compatible': createOpenAICompatible({ ...compatible, supportsStructuredOutputs: true })(model),
  'openai-compatible of json_object': createOpenAICompatible(compatible)(model),
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

const schema = jsonSchema(PRICE);
const wanted = Output.object({ schema });
/** The name of the option in the version of a year ago, and its name today. */
const output = { experimental_output: wanted, output: wanted };

const features = Object.entries(providers).flatMap(([name, one]) => [
  [`${name}, whole`, () => turn({ model: one, text: COST }, false)],
  [`${name}, stream`, () => turn({ model: one, text: COST }, true)],
  [`${name}, whole, with a tool`, () => turn({ model: one, text: STOCK }, false, { stock })],
  [`${name}, stream, with a tool`, () => turn({ model: one, text: STOCK }, true, { stock })],
  [
    `structured ${name}, Output.object`,
    async () => {
      const result = await generateText({ ...common, model: one, ...output, prompt: FORM });
      return result.experimental_output ?? result.output;
    },
  ],
  [
    `structured ${name}, generateObject`,
    async () => (await generateObject({ model: one, schema, prompt: FORM, maxRetries: 0 })).object,
  ],
]);
await play(Object.fromEntries(features));
