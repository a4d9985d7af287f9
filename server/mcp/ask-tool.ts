/** The tool that asks an agent. */

import { asRecord } from '../../contract/json-record.js';
import type { AgentRunner, Question } from '../agents/agent-runner.js';
import { waitForAnswer } from '../agents/answer-stream.js';
import { PASSAGES } from '../agents/tools/retrieval-tool.js';
import { type ToolDescription, ToolError, type ToolResult } from '../agents/tools/tool.js';
import type { Report } from './server.js';

/** The most agents that ask one another: an agent may find itself among the tools of its own skill. */
const MAX_DEPTH = 3;

/** The longest question, in characters. */
const MAX_QUESTION = 20_000;

export function describeAgent(name: string): ToolDescription {
  return {
    description: `Asks the agent ${JSON.stringify(name)} a question in words. It uses tools of its own, and may take two minutes.`,
    parameters: {
      type: 'object',
      properties: { question: { type: 'string', description: 'The whole question.', maxLength: MAX_QUESTION } },
      required: ['question'],
      additionalProperties: false,
    },
    output: { type: 'object', properties: { answer: { type: 'string' }, passages: PASSAGES }, required: ['answer'] },
  };
}

/**
 * Reads the question of a call.
 * @param depth the agents that have asked one another up to the call
 * @throws {ToolError} if there is none, or too many agents have asked one another
 */
export function readQuestion(input: unknown, depth: number): string {
  if (depth >= MAX_DEPTH) {
    const advice = 'perhaps themselves; answer without asking another.';
    throw new ToolError(`Agents have asked agents ${MAX_DEPTH} times in a row, ${advice}`);
  }
  const { question } = asRecord(input);
  if (typeof question !== 'string' || question.trim() === '') {
    throw new ToolError('The question must be a text.');
  }
  if (question.length <= MAX_QUESTION) return question;
  throw new ToolError(`The question must have at most ${MAX_QUESTION} characters.`);
}

/**
 * Asks an agent, and reports what it does.
 * @throws {ProblemError} if it cannot be asked, or fails
 * @throws the reason of the question's `signal`
 */
export async function askAgent(agents: AgentRunner, question: Question, report: Report): Promise<ToolResult> {
  const stream = await agents.prepare(question);
  report(`The agent ${JSON.stringify(question.agent?.name)} begins.`);
  let isWriting = false;
  const { text, passages } = await waitForAnswer(stream, (event) => {
    const wasWriting = isWriting;
    isWriting = 'type' in event && event.type === 'delta';
    if (isWriting && !wasWriting) report('The agent writes its answer.');
    if ('actions' in event) report(`The agent uses ${event.actions.map(({ tool }) => tool).join(', ')}.`);
  });
  const cited = passages?.map(({ document, passage, content }) => ({ document, passage, content }));
  return { data: { answer: text, ...(cited && { passages: cited }) } };
}
