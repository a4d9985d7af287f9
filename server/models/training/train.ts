import { columnName, MAX_TABLE_CELLS, MAX_TABLE_ROWS } from 'roster-prediction/predicting';
import { asRecord } from '../../../contract/json-record.js';
import { escapeToken } from '../../../contract/pointer.js';
import { parseJson } from '../../api/body/parse-body.js';
import type { DeferredBody } from '../../api/body/read-body.js';
import type { Handlers } from '../../api/handlers.js';
import { type Conditions, checkPreconditions, isConditional } from '../../api/preconditions.js';
import type { Caller } from '../../auth/caller.js';
import type { Aggregation } from '../../databases/driver.js';
import type { SqlDatabases } from '../../databases/sql-databases.js';
import { JSON_TYPE } from '../../edge/request.js';
import { type FieldError, invalidRequest, problem, unavailable } from '../../problems/problem.js';
import { findProject, inProject, type Project } from '../../projects/projects.js';
import type { Store } from '../../store/index.js';
import { refuseFullOwner } from '../../store/quota.js';
import { findFormat, parseForm } from '../formats.js';
import { modelNotFound, trainingInProgress } from '../model-problems.js';
import { findModel, findTableOptions, type Model, type ModelSource, modelJson, requireModel } from '../model-rows.js';
import { beginTraining, refuseFullQueue, type TrainingOrigin } from './begin-training.js';
import {
  parseChoices,
  parseDroppedRows,
  parseEffort,
  parseGoal,
  parseMarks,
  parseValidation,
  readGoal,
} from './goal.js';
import type { StoredTable } from './table-rows.js';
import type { TableSource, Tables } from './tables.js';
import type { Trainings } from './trainings.js';
import { slowSender } from './uploads.js';

export interface TrainingServices {
  readonly store: Store;
  readonly tables: Tables;
  readonly trainings: Trainings;
  readonly databases: SqlDatabases;
}

/** A request that trains a model; each signal is made when it is first asked for. */
interface TrainingRequest {
  readonly caller: Caller;
  readonly params: { readonly modelName: string };
  readonly base: string;
  readonly responseClosed: AbortSignal;
  readonly signal: AbortSignal;
}

/** The target and the effort of a training, and a table that was sent, or the query that returns one. */
type NewTable = Pick<TableSource, 'target' | 'task' | 'choices' | 'marks' | 'validation'> &
  Pick<TrainingOrigin, 'effort'> &
  (
    | (Pick<TableSource, 'format' | 'form' | 'text' | 'dropped'> & { readonly source?: undefined })
    | { readonly source: ModelSource }
  );

export function trainingOperations(
  services: TrainingServices,
): Pick<Handlers, 'trainModel' | 'retrainModel' | 'previewTable'> {
  const { store, tables } = services;
  return {
    trainModel: async (request) => {
      const { caller, params, query, headers, body, reply } = request;
      const project = await findProject(store, caller, params.projectName);
      const check = (model: Model | undefined) => refuseTraining(model, headers);
      // Before the table is read, which is work; and again when it has been.
      await check(await findModel(store, project.id, params.modelName));
      await refuseFull(store, project, caller.owner);
      const choices = parseChoices(query);
      const goal = {
        target: columnName(query.target),
        task: parseGoal(query),
        choices,
        marks: parseMarks(query, choices),
        validation: parseValidation(query),
        effort: parseEffort(query),
      };
      const form = parseForm(query, request);
      const { source, bytes: text } = await readSentTable(body);
      if (source && query.drop_lines) throw invalidRequest([{ pointer: '/query/drop_lines', message: NO_LINES }]);
      if (!source && query.aggregate) throw invalidRequest([{ pointer: '/query/aggregate', message: NO_QUERY }]);
      const dropped = parseDroppedRows(query.drop_lines);
      const table: NewTable = source
        ? { ...goal, source }
        : { ...goal, text, format: findFormat(body.mediaType), form, dropped };
      return reply(await train(services, request, project, table, check));
    },

    retrainModel: async (request) => {
      const { caller, params, headers, reply } = request;
      const project = await findProject(store, caller, params.projectName);
      const newest = await requireModel(store, project, params.modelName);
      await refuseTraining(newest, headers);
      const { id, name, target } = newest;
      const source = requireSource(newest);
      const options = await findTableOptions(store, newest);
      const effort = newest.task === 'forecast' ? undefined : newest.effort;
      const table = { target, task: readGoal(newest), ...options, source, effort };
      await refuseFull(store, project, caller.owner);
      const check = async (model: Model | undefined) => {
        // Deleted while the query ran: the training must not create it again.
        if (model?.id !== id) throw modelNotFound(name, project.name);
        await refuseTraining(model, headers);
      };
      return reply(await train(services, request, project, table, check));
    },

    previewTable: async (request) => {
      const { caller, params, query, body, responseClosed, reply } = request;
      await findProject(store, caller, params.projectName);
      const { mediaType, bytes: text } = body;
      const form = parseForm(query, request);
      const marks = parseMarks(query, []);
      const format = findFormat(mediaType);
      const source = { owner: caller.owner, text, tooSlow: slowSender('table'), signal: responseClosed };
      const dropped = parseDroppedRows(query.drop_lines);
      const preview = await tables.preview({ ...source, format, form, marks, dropped, previewTarget: query.target });
      return reply({ status: 200, body: { format: mediaType, ...preview } });
    },
  };
}

/**
 * Reads a table and begins the training of the next version.
 * @param check throws if the model cannot be trained; called with the project locked
 * @returns the reply
 * @throws what `Tables.ingest` and `SqlDatabases.readTable` throw; then nothing is stored
 */
async function train(
  { store, tables, trainings, databases }: TrainingServices,
  request: TrainingRequest,
  project: Project,
  { effort, ...table }: NewTable,
  check: (model: Model | undefined) => Promise<void>,
) {
  const { caller, params, base } = request;
  const { owner } = caller;
  const { source } = table;
  const stored = await (table.source
    ? ingestQuery({ tables, databases }, owner, table, request.signal)
    : tables.ingest({ ...table, owner, tooSlow: slowSender('table'), signal: request.responseClosed }));
  try {
    const { model } = await inProject(store, caller, project.name, async (tx, { id }) => {
      await check(await findModel(tx, id, params.modelName));
      return beginTraining(tx, id, params.modelName, stored, { source, effort });
    });
    trainings.wake();
    const location = `${base}/api/projects/${project.name}/models/${model.name}`;
    return { status: 202 as const, body: model, headers: { Location: location } };
  } catch (error) {
    await tables.discard(stored.tableId);
    throw error;
  }
}

/**
 * Reads the table that a query returns, and stores it for its training.
 * @throws what `Tables.ingest` and `SqlDatabases.readTable` throw; then nothing is stored
 */
export async function ingestQuery(
  { tables, databases }: Pick<TrainingServices, 'tables' | 'databases'>,
  owner: string,
  {
    source,
    ...goal
  }: Pick<TableSource, 'target' | 'task' | 'choices' | 'marks' | 'validation'> & { source: ModelSource },
  signal: AbortSignal,
): Promise<StoredTable> {
  let rowsInAll: number | undefined;
  // The values of a series are all needed.
  const sampling = typeof goal.task === 'object' ? undefined : { size: SAMPLE, onSample };
  function onSample(rows: number): void {
    rowsInAll = rows;
  }
  const table = await tables.ingest({
    ...goal,
    owner,
    format: 'records',
    signal,
    text: databases.readTable(owner, source, signal, { sampling, aggregation: findAggregation(goal) }),
    tooSlow: slowDatabase,
  });
  const { report } = table;
  if (rowsInAll === undefined || !report?.reading) return table;
  return { ...table, report: { ...report, reading: { ...report.reading, rows_of_query: rowsInAll } } };
}

function findAggregation({ target, task }: Pick<TableSource, 'target' | 'task'>): Aggregation | undefined {
  if (typeof task !== 'object' || task.aggregate === undefined) return undefined;
  return { method: task.aggregate, by: [task.orderBy, ...task.groupBy], target };
}

/** A table has so many rows and cells. */
const SAMPLE = { maxRows: MAX_TABLE_ROWS, maxCells: MAX_TABLE_CELLS };

/** Refuses a training while another of the model is in progress, or where a condition does not hold. */
async function refuseTraining(model: Model | undefined, conditions: Conditions): Promise<void> {
  if (isConditional(conditions)) await checkPreconditions(conditions, model && modelJson(model));
  if (model?.status === 'training') throw trainingInProgress(model);
}

/** Checks what a training needs before its table is read, which is work. */
export async function refuseFull(store: Store, project: Project, owner: string): Promise<void> {
  await refuseFullQueue(store, project.id);
  await refuseFullOwner(store.work, owner, store.limits.stored);
}

/** @throws {ProblemError} if the version was trained from a table that was sent */
function requireSource({ name, version, source }: Model): ModelSource {
  if (source) return source;
  throw problem(
    '/problems/no-source',
    `Version ${version} of the model "${name}" was trained from a table that was sent; send a table to train it again, or train it from a query once.`,
  );
}

function slowDatabase() {
  const detail = 'The database returned rows too slowly while other tables waited; ask for less, or train again later.';
  return unavailable(detail, 5);
}

const NO_LINES = 'names rows of a table that is sent; the rows of a query have no order: leave them out in the query';

const NO_QUERY =
  'is for a query of a database, which aggregates its rows; send one row for each step of a series instead';

/** The longest JSON object that names a query, in bytes. An array of rows has no such bound. */
const MAX_OBJECT = 64 * 1024;

/** The longest name of a database, and the longest query, in characters. */
const MAX_LENGTH = { database: 100, query: 16 * 1024 } as const;

/** The bytes of a table that was sent, or the query that returns one. */
type SentTable =
  | { readonly bytes: AsyncIterable<Uint8Array>; readonly source?: undefined }
  | { readonly bytes?: undefined; readonly source: ModelSource };

const TABLE_FORM = 'must be an array of rows, or an object {"source": {"database": …, "query": …}}';

const OPENING_BRACE = 0x7b;

/** Space, tab, line feed and carriage return, which may stand before JSON. */
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/**
 * Tells a body of a training that names a query from one that is a table, by its first byte.
 * @throws {ProblemError} if the body is an object that names no query
 * @throws the error of the body
 */
export async function readSentTable({ mediaType, bytes }: DeferredBody): Promise<SentTable> {
  if (mediaType !== JSON_TYPE) return { bytes };
  const chunks = bytes[Symbol.asyncIterator]();
  const begin: Uint8Array[] = [];
  let first: number | undefined;
  for (let length = 0; first === undefined && length <= MAX_OBJECT; ) {
    const next = await chunks.next();
    if (next.done) break;
    begin.push(next.value);
    length += next.value.length;
    first = next.value.find((byte) => !BLANKS.has(byte));
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    yield* begin;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  }
  if (first !== OPENING_BRACE) return { bytes: all() };
  return { source: parseSource(await readObject(all())) };
}

async function readObject(bytes: AsyncIterable<Uint8Array>): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_OBJECT) throw invalidBody(`${TABLE_FORM} of at most ${MAX_OBJECT} bytes`);
  }
  return parseJson(Buffer.concat(chunks));
}

function invalidBody(message: string) {
  return invalidRequest([{ pointer: '/body', message }]);
}

/** @throws {ProblemError} with a pointer to each fault */
function parseSource(body: unknown): ModelSource {
  const sent = asRecord(body);
  if (!Object.hasOwn(sent, 'source')) throw invalidBody(TABLE_FORM);
  const { source } = sent;
  const { database, query } = asRecord(source);
  const errors = listUnknown(sent, ['source'], '/body');
  if (source === null || typeof source !== 'object' || Array.isArray(source)) {
    const message = 'must be an object with a database and a query';
    errors.push({ pointer: '/body/source', message });
  } else {
    errors.push(...listUnknown(source, ['database', 'query'], '/body/source'));
    const fields = [['database', database] as const, ['query', query] as const];
    for (const [name, value] of fields) {
      const message = findFault(name, value);
      if (message !== undefined) errors.push({ pointer: `/body/source/${name}`, message });
    }
  }
  if (errors.length > 0 || typeof database !== 'string' || typeof query !== 'string') {
    throw invalidRequest(errors);
  }
  return { database, query };
}

function findFault(name: keyof typeof MAX_LENGTH, value: unknown): string | undefined {
  if (value === undefined) return 'is missing; it must be a text';
  if (typeof value !== 'string') return 'must be a text';
  const max = MAX_LENGTH[name];
  if (value === '' || value.length > max) return `must have 1 to ${max} characters`;
  if (name === 'database' && !/^\w[\w.-]*$/.test(value)) {
    return 'must be letters, digits and _ . -, and begin with none of . -';
  }
  return value.includes('\0') ? 'must not contain the character U+0000' : undefined;
}

function listUnknown(sent: object, known: readonly string[], at: string): FieldError[] {
  return Object.keys(sent)
    .filter((name) => !known.includes(name))
    .map((name) => ({
      pointer: `${at}/${escapeToken(name)}`,
      message: `is not known here; there is ${known.join(' and ')}`,
    }));
}
