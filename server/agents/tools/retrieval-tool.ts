import type { PassageSearch } from '../../resources/documents/passage-search.js';
import { truncate } from '../../resources/documents/terms.js';
import { isUnavailable } from '../../store/index.js';
import { type Passage, type Tool, ToolError, type ToolSkill } from './tool.js';

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
export function retrievalTool(
  { id: skillId, name: skill, toolName, params }: ToolSkill,
  passages: PassageSearch,
  owner: string,
): Tool {
  const about = [params['description'], params['source']].find(
    (text) => typeof text === 'string' && text !== '',
  );
  const subject =
    about === undefined ? '' : ` They are about: ${truncate(String(about), MAX_ABOUT)}`;
  return {
    ...{ name: toolName, skill },
    description: `Finds passages in documents by their words.${subject}`,
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
      const cited = fitting.map(({ document, passage, content }) => ({
        ...{ document, passage, content },
      }));
      const note =
        'No passage has any of these words. Search for others, or say that there is none.';
      const result = cited.length === 0 ? { passages: cited, note } : { passages: cited };
      return { text: JSON.stringify(result), passages: fitting };
    },
  };
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
