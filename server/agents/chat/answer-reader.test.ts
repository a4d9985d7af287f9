import fc from 'fast-check';
import { expect, it } from 'vitest';
import { callChunk, chunk, DONE, usageChunk } from '../../../testkit/chat/reply.js';
import { AnswerReader } from './answer-reader.js';
import { type ChatAnswer, DEFAULT_LIMITS } from './messages.js';

const EVENTS = [
  ': ping\n\n',
  chunk({ role: 'assistant', content: '' }),
  chunk({ content: '<think>Größer als 1 Karat? 💎</think>\n' }),
  chunk({ content: 'Zwischen 3.500 € und ' }),
  chunk({ content: '4.500 € — 💎.' }),
  callChunk({ index: 0, id: 'a', function: { name: 'vorhersagen', arguments: '{"größe":' } }),
  callChunk({ index: 0, function: { arguments: '"1 💎"}' } }),
  chunk({}, 'tool_calls'),
  usageChunk({ prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }),
  DONE,
].join('');

const DOCUMENT = JSON.stringify({ choices: [{ message: { content: '<think>Hm.</think> 4.500 € — 💎.' } }] }, null, 2);

const BODIES: Record<string, string> = {
  'events with LF': EVENTS,
  'events with CR LF, after a byte order mark': `\uFEFF${EVENTS.replaceAll('\n', '\r\n')}`,
  'events with CR': EVENTS.replaceAll('\n', '\r'),
  'events without the last blank line': EVENTS.trimEnd(),
  'a document': DOCUMENT,
};

for (const [name, body] of Object.entries(BODIES)) {
  it(`reads the same answer however ${name} are split`, () => {
    const bytes = Buffer.from(body);
    const whole = answerOf([bytes]);
    expect(whole.text).toContain('4.500 € — 💎.');
    const cuts = fc.array(fc.nat(bytes.length), { maxLength: 40 });
    fc.assert(
      fc.property(cuts, (at) => {
        expect(answerOf(split(bytes, at))).toEqual(whole);
      }),
    );
    expect(answerOf(split(bytes, [...bytes.keys()]))).toEqual(whole);
  });
}

function split(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const bounds = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
  return bounds.slice(1).map((end, place) => bytes.subarray(bounds[place], end));
}

/** Returns the answer, whose text is the pieces together. */
function answerOf(chunks: readonly Uint8Array[]): ChatAnswer {
  const reader = new AnswerReader(DEFAULT_LIMITS, undefined);
  const pieces = chunks.map((bytes) => reader.push(bytes)).join('') + reader.end();
  const answer = reader.answer();
  expect(answer.text).toBe(pieces);
  return answer;
}
