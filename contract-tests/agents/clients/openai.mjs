/** OpenAI's package: answers that go back as they came, whole, parsed and gathered from a stream. */
import OpenAI from 'openai';
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { COST, FORM, NEXT, PARAMETERS, play, STOCK, settings } from './recorder.mjs';

const { model, ...at } = settings;
const openai = new OpenAI({ ...at, maxRetries: 0 });
const { completions } = openai.chat;
const { responses } = openai;
const user = (content) => ({ role: 'user', content });
const own = { name: 'stock', description: 'The stock.', strict: true, parameters: PARAMETERS };

const makers = {
  create: (body) => completions.create(body),
  parse: (body) => completions.parse(body),
  stream: (body) => completions.stream(body).finalChatCompletion(),
};
const responders = {
  create: (body) => responses.create(body),
  parse: (body) => responses.parse(body),
  stream: (body) => responses.stream(body).finalResponse(),
};

async function chat(make, question, tools) {
  const body = { model, tools, messages: [user(question)] };
  const { message } = (await make(body)).choices[0];
  const results = message.tool_calls?.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: '3' }));
  await completions.create({ ...body, messages: [...body.messages, message, ...(results ?? [user(NEXT)])] });
}

async function respond(make, question, tools) {
  const body = { model, tools, store: false, input: [user(question)] };
  const { output } = await make(body);
  const called = output.filter(({ type }) => type === 'function_call');
  const results = called.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: '3' }));
  await responses.create({ ...body, input: [...body.input, ...output, ...(called.length ? results : [user(NEXT)])] });
}

const turns = Object.entries(makers).flatMap(([name, make]) => [
  [`chat, ${name}`, () => chat(make, COST)],
  [`chat, ${name}, with a tool`, () => chat(make, STOCK, [{ type: 'function', function: own }])],
]);
const items = Object.entries(responders).flatMap(([name, make]) => [
  [`responses, ${name}`, () => respond(make, COST)],
  [`responses, ${name}, with a tool`, () => respond(make, STOCK, [{ type: 'function', ...own }])],
]);

const Price = z.object({ price: z.number(), currency: z.enum(['USD', 'EUR']) });
const asked = { model, messages: [user(FORM)] };

await play({
  'models, retrieve': async () => {
    const listed = (await openai.models.list()).data[0];
    return [await openai.models.retrieve(listed.id), await openai.models.retrieve(model)].map(({ id }) => id);
  },
  'chat, empty instructions': () =>
    completions.create({ model, messages: [{ role: 'system', content: '' }, user(COST)] }).then(() => undefined),
  'responses, empty instructions': () =>
    responses
      .create({ model, store: false, instructions: '', input: [{ role: 'system', content: '' }, user(COST)] })
      .then(() => undefined),
  ...Object.fromEntries([...turns, ...items]),
  'structured chat, parse': async () => {
    const body = { ...asked, response_format: zodResponseFormat(Price, 'price') };
    return (await completions.parse(body)).choices[0].message.parsed;
  },
  'structured chat, stream': async () => {
    const body = { ...asked, response_format: zodResponseFormat(Price, 'price') };
    return (await completions.stream(body).finalChatCompletion()).choices[0].message.parsed;
  },
  'structured chat, goes on': async () => {
    const body = { ...asked, response_format: zodResponseFormat(Price, 'price') };
    const { message } = (await completions.parse(body)).choices[0];
    const next = await completions.parse({ ...body, messages: [...asked.messages, message, user(FORM)] });
    return next.choices[0].message.parsed;
  },
  'structured chat, json_object': async () => {
    const body = { ...asked, response_format: { type: 'json_object' } };
    return JSON.parse((await completions.create(body)).choices[0].message.content);
  },
  'structured responses, parse': async () => {
    const body = { model, store: false, input: FORM, text: { format: zodTextFormat(Price, 'price') } };
    return (await responses.parse(body)).output_parsed;
  },
  'structured responses, stream': async () => {
    const body = { model, store: false, input: FORM, text: { format: zodTextFormat(Price, 'price') } };
    return (await responses.stream(body).finalResponse()).output_parsed;
  },
  'structured responses, goes on': async () => {
    const body = { model, store: false, input: [user(FORM)], text: { format: zodTextFormat(Price, 'price') } };
    const { output } = await responses.parse(body);
    return (await responses.parse({ ...body, input: [...body.input, ...output, user(FORM)] })).output_parsed;
  },
  'structured responses, json_object': async () => {
    const body = { model, store: false, input: FORM, text: { format: { type: 'json_object' } } };
    return JSON.parse((await responses.create(body)).output_text);
  },
});
