import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { components } from '../../../generated/chat-server.js';
import { anyText } from '../../../testkit/any-text.js';
import { isChatRequest, requestCheck } from '../../../testkit/chat/chat-contract.js';
import { type ChatMessage, type ChatRequest, writeRequest } from './messages.js';

type RequestBody = components['schemas']['ChatCompletionRequest'];

/** OpenAI's OpenAPI document, which is not part of this repository: a file. */
const { CHAT_SCHEMA } = process.env;

const text = anyText({ maxLength: 50 });
const name = fc.stringMatching(/^[a-zA-Z0-9_-]{1,64}$/);

/** A call as models write it, with any name and with arguments that may be no JSON. */
const toolCall = fc.record({
  id: text,
  name: fc.oneof(name, text),
  arguments: fc.oneof(fc.json(), text, fc.dictionary(text, fc.jsonValue()).map(jsonOf)),
});

const message: fc.Arbitrary<ChatMessage> = fc.oneof(
  fc.record({ role: fc.constant('system'), content: text }),
  fc.record(
    {
      role: fc.constant('user'),
      content: text,
      images: fc.array(fc.base64String().map((data) => `data:image/png;base64,${data}`)),
    },
    { requiredKeys: ['role', 'content'] },
  ),
  fc.record(
    { role: fc.constant('assistant'), content: fc.option(text), tool_calls: fc.array(toolCall, { maxLength: 3 }) },
    { requiredKeys: ['role', 'content'] },
  ),
  fc.record({ role: fc.constant('tool'), tool_call_id: text, content: text }),
);

const tool = fc.record({ name, description: text, parameters: fc.dictionary(text, fc.jsonValue()) });

const request: fc.Arbitrary<ChatRequest> = fc.record(
  {
    model: fc.string({ minLength: 1 }),
    messages: fc.array(message, { minLength: 1, maxLength: 8 }),
    tools: fc.array(tool, { maxLength: 3 }),
    temperature: fc.double({ min: 0, max: 2, noNaN: true }),
    maxTokens: fc.integer({ min: 1 }),
  },
  { requiredKeys: ['model', 'messages', 'tools'] },
);

it('makes requests that the contract of chat servers allows', () => {
  expectAllowed(isChatRequest);
});

it('makes requests that the schema of OpenAI allows', ({ skip }) => {
  skip(!CHAT_SCHEMA, 'CHAT_SCHEMA names no file with the OpenAPI document of OpenAI');
  const document = pathToFileURL(String(CHAT_SCHEMA));
  expectAllowed(requestCheck(document, 'CreateChatCompletionRequest'));
});

it('sends arguments of earlier calls as JSON objects', () => {
  fc.assert(
    fc.property(toolCall, (call) => {
      const body: RequestBody = JSON.parse(
        writeRequest({
          model: 'llama3.2',
          messages: [{ role: 'assistant', content: null, tool_calls: [call] }],
          tools: [],
        }),
      );
      const [sent] = body.messages;
      const [{ function: called } = { function: undefined }] =
        sent?.role === 'assistant' ? (sent.tool_calls ?? []) : [];
      expect(JSON.parse(called?.arguments ?? '')).toBeTypeOf('object');
    }),
  );
});

it('replaces halves of characters, and leaves whole ones', () => {
  const contents = ['💎', '💎'.slice(0, 1), 'a\uDC8Eb'];
  const messages = contents.map((content) => ({ role: 'user' as const, content }));
  const body: RequestBody = JSON.parse(writeRequest({ model: 'llama3.2', messages, tools: [] }));
  expect(body.messages.map(({ content }) => content)).toEqual(['💎', '�', 'a�b']);
});

function expectAllowed(check: typeof isChatRequest): void {
  fc.assert(
    fc.property(request, (asked) => {
      const sent: unknown = JSON.parse(writeRequest(asked));
      check(sent);
      expect(check.errors).toBeNull();
    }),
    { numRuns: 500 },
  );
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value);
}
