import { setTimeout } from 'node:timers/promises';
import { complete } from '../../../server/mcp/completion.js';
import {
  invalidParams,
  type McpServer,
  type Report,
  ResourceNotFound,
  type Result,
} from '../../../server/mcp/server.js';

/** The smallest image, one pixel of PNG. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** The header of a sound without samples. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';

const text = (words: string) => ({ type: 'text', text: words });
const image = { type: 'image', data: PNG, mimeType: 'image/png' };
const audio = { type: 'audio', data: WAV, mimeType: 'audio/wav' };
const resource = (uri: string, mimeType: string, words: string) => ({
  type: 'resource',
  resource: { uri, mimeType, text: words },
});

/** The results of the tools that the suite calls, by their names. */
const RESULTS: Readonly<Record<string, Result>> = {
  test_simple_text: { content: [text('This is a simple text response for testing.')] },
  test_image_content: { content: [image] },
  test_audio_content: { content: [audio] },
  test_embedded_resource: {
    content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource.')],
  },
  test_multiple_content_types: {
    content: [
      text('Multiple content types test:'),
      image,
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  },
  test_error_handling: { content: [text('This tool intentionally returns an error for testing')], isError: true },
  test_tool_with_progress: { content: [text('Three times, progress was reported.')] },
  // They may send other messages before their result. Here, only progress is.
  test_logging_tool: { content: [text('Nothing is logged.')] },
  test_streaming_elicitation: { content: [text('Nothing is asked.')] },
  json_schema_2020_12_tool: { content: [text('The schema is what counts.')] },
};

const NO_INPUT = { type: 'object', properties: {} };

/** The words of JSON Schema that a list must keep. */
const WIDE_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

const TOOLS = Object.keys(RESULTS).map((name) => ({
  name,
  description: `The fixture ${name} of the conformance suite.`,
  inputSchema: name === 'json_schema_2020_12_tool' ? WIDE_SCHEMA : NO_INPUT,
}));

const RESOURCES = [
  { uri: 'test://static-text', name: 'static-text', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'static-binary', mimeType: 'image/png' },
];

const PROMPTS = [
  { name: 'test_simple_prompt', description: 'Without arguments.' },
  {
    name: 'test_prompt_with_arguments',
    description: 'With two arguments.',
    arguments: ['arg1', 'arg2'].map((name) => ({ name, description: 'A text.', required: true })),
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'With a resource.',
    arguments: [{ name: 'resourceUri', description: 'Its address.', required: true }],
  },
  { name: 'test_prompt_with_image', description: 'With an image.' },
];

function readPrompt(name: string, { arg1, arg2, resourceUri }: Readonly<Record<string, unknown>>): object[] {
  switch (name) {
    case 'test_simple_prompt':
      return [text('This is a simple prompt for testing.')];
    case 'test_prompt_with_arguments':
      return [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)];
    case 'test_prompt_with_embedded_resource':
      return [
        resource(String(resourceUri), 'text/plain', 'Embedded resource content for testing.'),
        text('Please process the embedded resource above.'),
      ];
    case 'test_prompt_with_image':
      return [image, text('Please analyze the image above.')];
    default:
      throw invalidParams(`There is no prompt ${JSON.stringify(name)}.`);
  }
}

/** Reports with pauses: of reports at the same time, one is sent. */
async function reportThrice(report: Report): Promise<void> {
  for (const part of [0, 50, 100]) {
    report(`${part} of 100`);
    await setTimeout(50);
  }
}

/** The tools and resources that the official conformance suite names, behind the protocol of the service. */
export function fixtureServer(): McpServer {
  return {
    version: '0.0.0',
    instructions: 'Fixtures of the conformance suite.',
    listTools: async () => ({ tools: TOOLS }),
    callTool: async (name, _input, { report }) => {
      const result = RESULTS[name];
      if (!result) throw invalidParams(`There is no tool ${JSON.stringify(name)}.`);
      if (name === 'test_tool_with_progress') await reportThrice(report);
      return result;
    },
    cancel: async () => {},
    explain: String,
    listPrompts: async () => ({ prompts: PROMPTS }),
    getPrompt: async (name, input) => ({
      messages: readPrompt(name, input).map((content) => ({ role: 'user', content })),
    }),
    complete: async ({ value }) => complete(['paris', 'park', 'party'], value),
    listResources: async () => ({ resources: RESOURCES }),
    listResourceTemplates: () => ({
      resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template' }],
    }),
    readResource: async (uri) => ({ contents: [{ uri, ...readFixture(uri) }] }),
  };
}

function readFixture(uri: string): Result {
  if (uri === 'test://static-text') {
    return { mimeType: 'text/plain', text: 'This is the content of the static text resource.' };
  }
  if (uri === 'test://static-binary') return { mimeType: 'image/png', blob: PNG };
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
  if (id === undefined) throw new ResourceNotFound(uri);
  const data = { id, templateTest: true, data: `Data for ID: ${id}` };
  return { mimeType: 'application/json', text: JSON.stringify(data) };
}
