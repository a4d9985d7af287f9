import type { FoundPassage } from '../../resources/documents/passage-index.js';
import { type PassageSearch, SearchError } from '../../resources/documents/passage-search.js';
import { isUnavailable } from '../../store/index.js';
import { type Passage, type Tool, ToolError, type ToolResult, type ToolSkill } from './tool.js';

/** The most passages of an answer, and the most characters of their contents together. */
const MAX_PASSAGES = 5;
const MAX_CHARACTERS = 6000;

/** The longest query, in characters. */
const MAX_QUERY = 1000;

/**
 * Returns the tool with which an agent finds passages in the documents of a skill.
 * @param owner whose turn the searches take
 */
export function retrievalTool(skill: ToolSkill, passages: PassageSearch, owner: string): Tool {
  return {
    name: skill.toolName,
    skill: skill.name,
    description: descriptionOf(skill.params),
    parameters: {
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
    },
    run: async (input, signal) => {
      const query = queryOf(input);
      const search = { owner, skillId: skill.id, query, limit: MAX_PASSAGES };
      const found = await passages.search(search, signal).catch(refuse);
      return resultOf(withinSize(found.map((passage) => shown(skill.name, passage))));
    },
  };
}

/** @throws {ToolError} if the language model can go on; else the error */
function refuse(cause: unknown): never {
  if (cause instanceof SearchError) throw new ToolError(cause.message, { cause });
  if (!isUnavailable(cause)) throw cause;
  throw new ToolError('The documents cannot be searched now; answer without them.', { cause });
}

function descriptionOf({ description, source }: ToolSkill['params']): string {
  const about = [description, source].find((text) => typeof text === 'string' && text !== '');
  const subject = about === undefined ? '' : ` They are about: ${beginningOf(String(about))}`;
  return `Finds passages in documents by their words.${subject}`;
}

/** The most characters of a skill's description that the language model reads. */
const MAX_ABOUT = 1000;

function beginningOf(text: string): string {
  return text.slice(0, MAX_ABOUT).replace(/[\ud800-\udbff]$/, '');
}

/** @throws {ToolError} if the input has no query */
function queryOf(input: unknown): string {
  const query = typeof input === 'object' && input !== null && 'query' in input && input.query;
  if (typeof query !== 'string' || query.trim() === '') {
    throw new ToolError('The query must be a string of some words to search for.');
  }
  if (query.length > MAX_QUERY) {
    throw new ToolError(`The query must have at most ${MAX_QUERY} characters; send a few words.`);
  }
  return query;
}

/** A passage of which the language model reads its headings too. */
function shown(skill: string, { document, number, headings, content }: FoundPassage): Passage {
  const text = content.trim();
  return {
    skill,
    document,
    passage: number,
    content: headings === '' ? text : `${headings}\n\n${text}`,
  };
}

/** Returns the first passages that fit together. */
function withinSize(passages: readonly Passage[]): readonly Passage[] {
  let left = MAX_CHARACTERS;
  return passages.filter(({ content }) => {
    left -= content.length;
    return left >= 0;
  });
}

function resultOf(passages: readonly Passage[]): ToolResult {
  if (passages.length === 0) {
    const note = 'No passage has any of these words. Search for others, or say that there is none.';
    return { text: JSON.stringify({ passages: [], note }), passages };
  }
  const cited = passages.map(({ document, passage, content }) => ({ document, passage, content }));
  return { text: JSON.stringify({ passages: cited }), passages };
}
