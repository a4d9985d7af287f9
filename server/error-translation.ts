/**
 * Translates the errors of the store, trainings and tables into problems, so that no handler has
 * to.
 */

import { JsonShapeError, MalformedJsonError, TableError } from '../prediction/src/predicting.js';
import { ChatError } from './agents/chat/chat-error.js';
import {
  ChatNotConfiguredError,
  UnknownAgentError,
  UnknownChatModelError,
} from './agents/errors.js';
import type { FailedRequest } from './api/validation/to-problem.js';
import { TooManyPredictionsError } from './models/predictions/prediction-pool.js';
import { MAX_SILENCE_MS } from './models/training/table-reader.js';
import { TooManyTablesError } from './models/training/tables.js';
import { SlowUploadError } from './models/training/upload-slots.js';
import {
  invalidRequest,
  malformedBody,
  type ProblemError,
  problem,
  unavailable,
} from './problems/problem.js';
import { agents } from './resources/agents.js';
import { storeProblem } from './store/database/unavailable.js';
import {
  ClaimLostError,
  ConversationBusyError,
  LimitReachedError,
  QueueFullError,
} from './store/index.js';
import { WorkerEndedError, WorkerTimeoutError } from './work/worker-process.js';

/** Returns the problem of an error that was thrown below the handlers; undefined if it is an internal error. */
export function translateError(thrown: unknown, request: FailedRequest): ProblemError | undefined {
  return (
    (thrown instanceof LimitReachedError ? limitReached(thrown, request) : undefined) ??
    tableProblem(thrown) ??
    agentProblem(thrown) ??
    workProblem(thrown) ??
    storeProblem(thrown)
  );
}

/** Returns the problem of a table that cannot be read, or not now. */
function tableProblem(thrown: unknown): ProblemError | undefined {
  if (thrown instanceof MalformedJsonError) {
    return malformedBody(`The body is not valid JSON: ${thrown.message}`);
  }
  if (thrown instanceof JsonShapeError) {
    return invalidRequest([{ pointer: '/body', message: thrown.message }]);
  }
  if (thrown instanceof TableError) {
    return problem(
      '/problems/unusable-table',
      'No model can be trained from this table; nothing was kept of it.',
      { errors: [...thrown.faults] },
    );
  }
  if (thrown instanceof TooManyPredictionsError) {
    return unavailable(
      'The service has as many predictions to do as it takes on at once; try again in a moment.',
    );
  }
  if (thrown instanceof TooManyTablesError) {
    return unavailable(
      'The service reads as many tables as it takes on at once; try again in a moment.',
      5,
    );
  }
  if (thrown instanceof SlowUploadError) {
    return problem(
      '/problems/request-timeout',
      'The table arrived too slowly while other tables waited to be read; send at least 128 KiB a second, and more the longer others wait, or send it again later.',
      {},
      { Connection: 'close' },
    );
  }
  if (thrown instanceof WorkerTimeoutError) {
    return unavailable(
      `The table took too long to read: its process did nothing for ${MAX_SILENCE_MS / 1000} seconds, and was ended; nothing was kept of it. Send fewer rows or columns.`,
      5,
      { cause: thrown },
    );
  }
  if (thrown instanceof WorkerEndedError) {
    return unavailable(
      'The process that read the table was ended, most often because the machine has too little memory; nothing was kept of it. Send it again in a moment, or send fewer rows.',
      5,
      { cause: thrown },
    );
  }
  return undefined;
}

/** Returns the problem of an agent that cannot answer. */
function agentProblem(thrown: unknown): ProblemError | undefined {
  if (thrown instanceof UnknownAgentError) {
    return agents.notFound(thrown.agent, { name: thrown.project });
  }
  if (thrown instanceof ChatNotConfiguredError) {
    return problem(
      '/problems/chat-not-configured',
      'This service has no chat server, so its agents cannot answer; those who run it can set CHAT_URL and CHAT_MODEL.',
    );
  }
  if (thrown instanceof UnknownChatModelError) {
    const { who, model, models } = thrown;
    return problem(
      '/problems/unknown-chat-model',
      `The ${who} has the model_name "${model}", which is not a chat model of this service; set it to ${models.join(' or ')}, or to null.`,
    );
  }
  if (thrown instanceof ChatError) {
    const { message, errorType, retryAfter } = thrown;
    const headers = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
    return problem('/problems/chat-server-failed', message, { error_type: errorType }, headers);
  }
  return undefined;
}

/** Returns the problem of work of the store that must wait or was lost. */
function workProblem(thrown: unknown): ProblemError | undefined {
  if (thrown instanceof QueueFullError) {
    return unavailable('Too many trainings wait already; try again when some are done.', 60);
  }
  if (thrown instanceof ConversationBusyError) {
    return problem(
      '/problems/conversation-busy',
      'The conversation is answering another message; send this one when that is done.',
      {},
      { 'Retry-After': '1' },
    );
  }
  if (thrown instanceof ClaimLostError) {
    return unavailable(
      'The reply was not kept: the conversation was deleted, or another request answers the message by now; ask for the reply again.',
    );
  }
  return undefined;
}

function limitReached(limit: LimitReachedError, request: FailedRequest): ProblemError {
  return problem('/problems/limit-reached', limitText(limit, request));
}

function limitText({ kind, most }: LimitReachedError, request: FailedRequest): string {
  switch (kind) {
    case 'documents':
      return `The skill "${request.params['skill_name']}" holds ${most} documents already, the most that it may; delete some, or use another skill.`;
    case 'conversations':
      return `The chatbot "${request.params['chatbot_name']}" holds ${most} conversations already, the most that it may; delete some.`;
    case 'messages':
      return `The conversation holds ${most.toLocaleString('en')} messages, the most that it may; begin another.`;
  }
}
