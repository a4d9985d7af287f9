/** The tools that find others, in place of a list that is too long for hosts. */

import { ToolError } from '../agents/tools/tool.js';
import { type McpTool, writeTool } from './mcp-tool.js';

/** @throws {ToolError} if the query is no text, or too long */
export function readWords(query: unknown): string[] {
  const text = query ?? '';
  if (typeof text !== 'string' || text.length > MAX_QUERY) {
    throw new ToolError(`The query must be a text of at most ${MAX_QUERY} characters.`);
  }
  // No name has U+0000, which PostgreSQL does not take.
  return text
    .toLowerCase()
    .split(/[\s\0]+/)
    .filter(Boolean)
    .slice(0, MAX_WORDS);
}

/** @throws {ToolError} if no tool is named */
export function readName(name: unknown): string {
  if (typeof name === 'string') return name;
  throw new ToolError('The name must be the name of a tool, as find_tools lists it.');
}

export const FIND = 'find_tools';
export const DESCRIBE = 'describe_tool';
export const CALL = 'call_tool';

/** The most tools that are found at once, and the most words that are looked for, with their characters. */
export const MAX_FOUND = 50;
const MAX_WORDS = 10;
const MAX_QUERY = 1000;

const TEXT = { type: 'string' };
const OBJECT = { type: 'object' };
const NAME = { type: 'string', description: 'A name from find_tools.' };

/** The tools that are listed in place of many. */
export const FINDERS: readonly McpTool[] = [
  writeTool(FIND, {
    description:
      'Finds tools by their names: predict_… of trained models, ask_… of agents, search_… of documents, query_… of tables. Describe one before you call it.',
    parameters: {
      type: 'object',
      properties: {
        query: {
          type: 'string',
          description: 'Words, one of which a name or what it predicts contains; empty for all.',
          maxLength: MAX_QUERY,
        },
      },
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: {
        tools: {
          type: 'array',
          items: { type: 'object', properties: { name: TEXT, target: TEXT }, required: ['name'] },
        },
        more: { type: 'boolean', description: 'Whether there are more; ask with other words.' },
      },
      required: ['tools', 'more'],
    },
  }),
  writeTool(DESCRIBE, {
    description: 'Describes a tool: what it does, its arguments, and what it answers.',
    parameters: { type: 'object', properties: { name: NAME }, required: ['name'], additionalProperties: false },
    output: {
      type: 'object',
      properties: { name: TEXT, description: TEXT, inputSchema: OBJECT, outputSchema: OBJECT, annotations: OBJECT },
      required: ['name', 'description', 'inputSchema', 'outputSchema'],
    },
  }),
  writeTool(CALL, {
    description: 'Calls a tool with the arguments that its inputSchema describes.',
    parameters: {
      type: 'object',
      properties: { name: NAME, arguments: { type: 'object' } },
      required: ['name', 'arguments'],
      additionalProperties: false,
    },
    output: { type: 'object', description: 'What the outputSchema of the tool describes.' },
  }),
];
