/**
 * Translates the errors of the store, trainings and tables into problems, so that no handler has
 * to.
 */

import { JsonShapeError, MalformedJsonError, TableError } from '../prediction/src/predicting.js';
import type { FailedRequest } from './api/reply/error-handler.js';
import { asRecord } from './contract/json-record.js';
import { TooManyPredictionsError } from './models/predictions/prediction-pool.js';
import { MAX_SILENCE_MS } from './models/training/table-reader.js';
import { TooManyTablesError } from './models/training/tables.js';
import { SlowUploadError } from './models/training/upload-slots.js';
import {
  type FieldError,
  invalidRequest,
  malformedBody,
  type ProblemError,
  problem,
  unavailable,
} from './problems/problem.js';
import {
  AddedAndRemovedError,
  isUnavailable,
  LimitReachedError,
  NameTakenError,
  OtherNameError,
  QueueFullError,
  StoreBusyError,
  TooLargeError,
  UnknownReferenceError,
} from './store/index.js';
import { WorkerEndedError, WorkerTimeoutError } from './work/worker-process.js';

/** Returns the problem of an error that was thrown below the handlers; undefined if it is an internal error. */
export function translateError(thrown: unknown, request: FailedRequest): ProblemError | undefined {
  return writeProblem(thrown, request) ?? tableProblem(thrown) ?? storeProblem(thrown);
}

function writeProblem(thrown: unknown, request: FailedRequest): ProblemError | undefined {
  if (thrown instanceof NameTakenError) return nameTaken(thrown, request);
  if (thrown instanceof LimitReachedError) return limitReached(thrown, request);
  if (thrown instanceof TooLargeError) return tooLarge(thrown, request);
  if (thrown instanceof UnknownReferenceError) return unknownReference(thrown, request);
  if (thrown instanceof AddedAndRemovedError) {
    const errors = namedPlaces(request, ['skills_to_add'], thrown.named);
    const message = 'is in skills_to_remove too; name it in one of the two';
    return invalidRequest(errors.map(({ pointer }) => ({ pointer, message })));
  }
  if (thrown instanceof OtherNameError) {
    const message =
      'must be the name of the address, because there is no such chatbot yet; leave it out, or create the chatbot first';
    return invalidRequest([{ pointer: '/body/chatbot/name', message }]);
  }
  return undefined;
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

/** Returns the problem of a store that cannot take the request now. */
function storeProblem(thrown: unknown): ProblemError | undefined {
  if (thrown instanceof StoreBusyError) return unavailable(thrown.message);
  if (thrown instanceof QueueFullError) {
    return unavailable('Too many trainings wait already; try again when some are done.', 60);
  }
  if (!isUnavailable(thrown)) return undefined;
  const detail = 'The store cannot take the request now; try again in a moment.';
  return unavailable(detail, 1, { cause: thrown });
}

function nameTaken({ kind, taken }: NameTakenError, request: FailedRequest): ProblemError {
  if (kind === 'projects') {
    return problem(
      '/problems/name-taken',
      `There is already a project named "${taken}"; choose another name, or use that one.`,
    );
  }
  const what = kind === 'agents' ? 'an agent' : `a ${kind.slice(0, -1)}`;
  return problem(
    '/problems/name-taken',
    `There is already ${what} named "${taken}" in the project "${projectOf(request)}"; choose another name, or update that one.`,
  );
}

function limitReached(limit: LimitReachedError, request: FailedRequest): ProblemError {
  return problem('/problems/limit-reached', limitText(limit, request));
}

function limitText({ kind, held, most }: LimitReachedError, request: FailedRequest): string {
  const project = projectOf(request);
  switch (kind) {
    case 'documents':
      return `The skill "${request.params['skill_name']}" holds ${most} documents already, the most that it may; delete some, or use another skill.`;
    case 'projects':
      return `There are ${most} projects already, the most that there may be; delete some.`;
    case 'stored':
      return `Your projects hold ${sizeText(held)} of params, settings, prompts, documents, conversations, models and training tables, and may hold ${sizeText(most)}; send less, delete models or other resources, or wait for trainings to end.`;
    case 'conversations':
      return `The chatbot "${request.params['chatbot_name']}" holds ${most} conversations already, the most that it may; delete some.`;
    case 'messages':
      return `The conversation holds ${most.toLocaleString('en')} messages, the most that it may; begin another.`;
    case 'answers':
      return `The answers to your creations with an Idempotency-Key hold ${sizeText(held)}, and may hold ${sizeText(most)}; create it without a key, or wait: each answer is dropped after 24 hours. Nothing was created.`;
    case 'bytes':
      return `The project "${project}" would hold more than ${most / MEBIBYTE} MiB of params, settings and prompts; send less, delete some, or use another project.`;
    case 'uses':
      return `The project "${project}" would have agents that use its skills more than ${most.toLocaleString('en')} times; take some off them, or use another project.`;
    default:
      return `The project "${project}" holds ${most} ${kind} already, the most that it may; delete some, or use another project.`;
  }
}

const MEBIBYTE = 1024 * 1024;

/** Formats a size, such as "10,737,418,240 bytes", in the unit of the settings. */
function sizeText(bytes: number): string {
  return `${bytes.toLocaleString('en')} bytes`;
}

function tooLarge({ field, bound }: TooLargeError, request: FailedRequest): ProblemError {
  const { kind, fields } = written(request);
  const older = field === 'skills' ? 'skills_to_add' : 'params';
  const sent = Object.hasOwn(fields, field) ? field : older;
  const message = `would make the ${kind} hold more than ${bound}; send less, or remove some first`;
  return invalidRequest([{ pointer: `/body/${kind}/${sent}`, message }]);
}

function unknownReference({ named }: UnknownReferenceError, request: FailedRequest): ProblemError {
  const { kind, fields } = written(request);
  if (kind === 'agent') {
    return problem(
      '/problems/unknown-skill',
      'A skill that the agent should use does not exist in the project; nothing was changed.',
      { errors: namedPlaces(request, SKILL_FIELDS, named).map(unknownSkill) },
    );
  }
  const [field, what] = fields['agent_id'] ? ['agent_id', 'identifier'] : ['agent_name', 'name'];
  const message = `there is no agent with the ${what} "${named[0]}"; create it first, or correct the name`;
  return problem(
    '/problems/unknown-agent',
    'The agent that the chatbot should use does not exist in the project; nothing was changed.',
    { errors: [{ pointer: `/body/chatbot/${field}`, message }] },
  );
}

const SKILL_FIELDS = ['skills', 'skills_to_add', 'skills_to_remove'];

function unknownSkill({ pointer, name }: NamedPlace): FieldError {
  const message = `there is no skill with the name or identifier "${name}"; create it first, or correct the name`;
  return { pointer, message };
}

/** A skill named in the body of an agent's write. */
interface NamedPlace {
  readonly pointer: string;
  readonly name: string;
}

/** Returns the places at which fields of an agent name any of these skills. */
function namedPlaces(
  request: FailedRequest,
  among: readonly string[],
  names: readonly string[],
): NamedPlace[] {
  const { fields } = written(request);
  const wanted = new Set(names);
  return among
    .filter((field) => Array.isArray(fields[field]))
    .flatMap((field) =>
      Object.entries(asRecord(fields[field])).map(([index, skill]) => ({
        pointer: `/body/agent/${field}/${index}`,
        name: String(typeof skill === 'string' ? skill : asRecord(skill)['name']),
      })),
    )
    .filter(({ name }) => wanted.has(name));
}

/** Returns the resource in the body of a write: `{"skill": {…}}`. */
function written({ body }: FailedRequest) {
  const [[kind, fields] = ['resource', {}]] = Object.entries(asRecord(body));
  return { kind, fields: asRecord(fields) };
}

function projectOf({ params }: FailedRequest): string {
  return params['project_name'] ?? params['projectName'] ?? '';
}
