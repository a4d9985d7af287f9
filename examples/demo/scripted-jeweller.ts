import type { ChatRequestBody } from '../../testkit/chat/chat-contract.js';
import { calls, saysWithin } from '../../testkit/chat/reply.js';
import type { ChatScript } from '../../testkit/chat/scripted-chat-server.js';

/**
 * Plays a language model by rules: a question for a price asks the model, a question for a number
 * asks the table, and a result is put into words. The numbers are those of the tools.
 */
export const scriptedJeweller: ChatScript = ({ body }) => {
  const last = body.messages.at(-1);
  const text = readText(last?.content ?? '');
  const say = (...pieces: readonly string[]) => saysWithin(body.max_tokens, ...pieces);
  if (last?.role === 'tool') return say(...inWords(text));
  if (/how many/i.test(text)) return calls({ name: 'stock', arguments: { sql: COUNT } });
  if (/cost|price/i.test(text)) return calls({ name: 'price_lookup', arguments: makeRow(text) });
  return say('Ask me what a diamond costs, ', 'or how many we have.');
};

/** Returns the text of a content, whose images it does not see. */
function readText(content: ChatRequestBody['messages'][number]['content']): string {
  if (!Array.isArray(content)) return content ?? '';
  return content.map((part) => ('text' in part ? part.text : '')).join('\n');
}

const COUNT = 'select cut, count(*) as number from stock group by cut order by number desc';

function makeRow(question: string): object {
  const carat = /(\d+(?:\.\d+)?) ?carat/i.exec(question)?.[1];
  const cut = ['Ideal', 'Premium', 'Very Good', 'Good', 'Fair'].find((name) =>
    question.toLowerCase().includes(name.toLowerCase()),
  );
  return { ...(carat && { carat: Number(carat) }), ...(cut && { cut }) };
}

/** Puts the result of a tool into words, in pieces. */
function inWords(text: string): string[] {
  const result = /<result>\s*([\s\S]*?)\s*<\/result>/.exec(text)?.[1];
  if (result === undefined) return [`I cannot say: ${text}`];
  const { value, interval, rows } = JSON.parse(result);
  if (rows) return ['We have ', rows.map(([cut, number]: [string, number]) => `${number} ${cut}`).join(', '), '.'];
  const { min, max, confidence } = interval;
  return [
    `About ${dollars(value)}, `,
    `between ${dollars(min)} and ${dollars(max)} in ${Math.round(confidence * 10)} cases of ten.`,
  ];
}

function dollars(amount: number): string {
  return `${amount.toLocaleString('en')} dollars`;
}
