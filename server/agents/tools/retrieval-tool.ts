import { beginningOf } from 'roster-prediction/text';
import type { PassageSearch } from '../../resources/documents/passage-search.js';
import { isUnavailable } from '../../store/index.js';
import {
  type AgentSkill,
  type Passage,
  type SkillTool,
  type ToolDescription,
  ToolError,
  type ToolResult,
} from './tool.js';

/** The most passages of an answer, and the most characters of their contents together. */
const MAX_PASSAGES = 5;
const MAX_CHARACTERS = 6000;

/** The longest query, in characters. */
const MAX_QUERY = 1000;

/** The most characters of a skill's description that the language model reads. */
const MAX_ABOUT = 1000;

/**
 * Returns the tool with which an agent finds passages in the documents of a skill.
 * @param owner whose turn the searches take
 */
export function retrievalTool(skill: AgentSkill, passages: PassageSearch, owner: string): SkillTool {
  return { ...describeRetrieval(skill), run: (input, signal) => findPassages(skill, passages, owner, input, signal) };
}

/** Describes the tool that finds passages in the documents of a skill. */
export function describeRetrieval({ params }: Pick<AgentSkill, 'params'>): ToolDescription {
  const about = [params['description'], params['source']].find((text) => typeof text === 'string' && text !== '');
  const subject = about === undefined ? '' : ` They are about: ${beginningOf(String(about), MAX_ABOUT)}`;
  return {
    description: `Finds passages in documents by their words.${subject}`,
    parameters: PARAMETERS,
    output: OUTPUT,
  };
}

const PARAMETERS = {
  type: 'object',
  properties: {
    query: {
      type: 'string',
      description: 'A few words that the passages may have, in the language of the documents.',
      maxLength: MAX_QUERY,
    },
  },
  required: ['query'],
  additionalProperties: false,
};

/** The schema of passages in results. */
export const PASSAGES = {
  type: 'array',
  items: {
    type: 'object',
    properties: { document: { type: 'string' }, passage: { type: 'integer' }, content: { type: 'string' } },
    required: ['document', 'passage', 'content'],
  },
};

const OUTPUT = { type: 'object', properties: { passages: PASSAGES, note: { type: 'string' } }, required: ['passages'] };

/** Finds passages in the documents of a skill; throws as a tool. */
export async function findPassages(
  { id: skillId, name: skill }: Pick<AgentSkill, 'id' | 'name'>,
  passages: PassageSearch,
  owner: string,
  input: unknown,
  signal: AbortSignal,
): Promise<ToolResult> {
  const search = { owner, skillId, query: readQuery(input), limit: MAX_PASSAGES };
  const found = await passages.search(search, signal).catch((cause: unknown) => {
    if (!isUnavailable(cause)) throw cause;
    const reason = 'The documents cannot be searched now; answer without them.';
    throw new ToolError(reason, { cause });
  });
  let left = MAX_CHARACTERS;
  const fitting = found
    .map(({ document, number, headings, content }): Passage => {
      const text = content.trim();
      // The language model reads the headings too.
      const whole = headings === '' ? text : `${headings}\n\n${text}`;
      return { skill, document, passage: number, content: whole };
    })
    .filter(({ content }) => {
      left -= content.length;
      return left >= 0;
    });
  const cited = fitting.map(({ document, passage, content }) => ({ document, passage, content }));
  const note = 'No passage has any of these words. Search for others, or say that there is none.';
  const data = cited.length === 0 ? { passages: cited, note } : { passages: cited };
  return { data, passages: fitting };
}

/** @throws {ToolError} if the input has no query */
function readQuery(input: unknown): string {
  const query = typeof input === 'object' && input !== null && 'query' in input && input.query;
  if (typeof query !== 'string' || query.trim() === '') {
    throw new ToolError('The query must be a string of some words to search for.');
  }
  if (query.length > MAX_QUERY) {
    throw new ToolError(`The query must have at most ${MAX_QUERY} characters; send a few words.`);
  }
  return query;
}
