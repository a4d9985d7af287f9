/** LangChain: messages that were invoked or streamed go back, over both APIs. */
import { HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { COST, FORM, NEXT, PARAMETERS, PRICE, play, STOCK, settings } from './recorder.mjs';

const { baseURL, apiKey, model } = settings;
const own = { name: 'stock', description: 'The stock.', parameters: PARAMETERS };

async function turn(one, text, isStreamed) {
  const asked = new HumanMessage(text);
  let said;
  if (isStreamed) for await (const chunk of await one.stream([asked])) said = said?.concat(chunk) ?? chunk;
  else said = await one.invoke([asked]);
  const results = said.tool_calls.map(({ id }) => new ToolMessage({ content: '3', tool_call_id: id }));
  await one.invoke([asked, said, ...(results.length ? results : [new HumanMessage(NEXT)])]);
}

const features = [false, true].flatMap((useResponsesApi) => {
  const plain = new ChatOpenAI({ model, apiKey, useResponsesApi, configuration: { baseURL }, maxRetries: 0 });
  const bound = plain.bindTools([{ type: 'function', function: own }]);
  const name = useResponsesApi ? 'responses' : 'chat';
  const structured = (method) => async () => {
    const one = plain.withStructuredOutput({ title: 'price', ...PRICE }, { method });
    const made = await one.invoke([new HumanMessage(FORM)]);
    // LangChain of November 2025 returns the parts of a response as they are.
    return Array.isArray(made) ? JSON.parse(made[0].text) : made;
  };
  return [
    [
      `${name}, empty instructions`,
      async () => void (await plain.invoke([new SystemMessage(''), new HumanMessage(COST)])),
    ],
    [`${name}, invoke`, () => turn(plain, COST, false)],
    [`${name}, stream`, () => turn(plain, COST, true)],
    [`${name}, invoke, with a tool`, () => turn(bound, STOCK, false)],
    [`${name}, stream, with a tool`, () => turn(bound, STOCK, true)],
    [`structured ${name}, jsonSchema`, structured('jsonSchema')],
    [`structured ${name}, jsonMode`, structured('jsonMode')],
    [`structured ${name}, functionCalling`, structured('functionCalling')],
  ];
});
await play(Object.fromEntries(features));
