/** Prompts, which hosts show to people as commands: a prediction or a forecast with a model of the project. */

import type { components } from '../../generated/openapi.js';
import { usedColumns } from '../agents/tools/model-schemas.js';
import { missingMcpScope } from '../auth/identify-caller.js';
import { findServing, type Model } from '../models/model-rows.js';
import type { Project } from '../projects/projects.js';
import type { Store } from '../store/index.js';
import { Catalogue, type ToolEntry } from './catalogue.js';
import { complete } from './completion.js';
import { type Completable, invalidParams, type Result } from './server.js';
import type { ToolRequest } from './tools.js';

type Column = components['schemas']['Column'];

/** The most prompts that are listed; all models have one. */
const MAX_LISTED = 12;

/** The most arguments that people are asked for: the columns that matter most. */
const MAX_ARGUMENTS = 10;

/** The most characters of an argument. */
const MAX_VALUE = 1000;

/** The most categories that an argument is described by. */
const MAX_EXAMPLES = 5;

/** A model that answers. */
type Serving = Model & { readonly columns: NonNullable<Model['columns']> };

interface Argument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

/** The prompts of a project, by the names of the tools that they lead to. They need the scope `predict`. */
export class ProjectPrompts {
  readonly #catalogue: Catalogue;

  /** @param chosen the names of the tools to offer; undefined for all */
  constructor(
    private readonly store: Store,
    private readonly project: Project,
    private readonly request: Pick<ToolRequest, 'caller' | 'resource'>,
    private readonly chosen: readonly string[] | undefined,
  ) {
    this.#catalogue = new Catalogue(store, project, request.caller, (kind) => kind === 'predict');
  }

  async list(): Promise<Result> {
    const entries = this.chosen
      ? await Promise.all(this.chosen.map((name) => this.#catalogue.find(name)))
      : await this.#catalogue.list(MAX_LISTED);
    const prompts = await Promise.all(
      entries.map(async (entry) => {
        const model = entry && (await this.#findModel(entry));
        return model && { name: entry.toolName, description: purposeOf(model), arguments: listArguments(model) };
      }),
    );
    return { prompts: prompts.filter((prompt) => prompt !== undefined) };
  }

  /**
   * Returns what a person would ask a language model, with the arguments that were given.
   * @throws {RpcError} if there is no such prompt, or it does not take the arguments
   * @throws {ProblemError} if the key does not have the scope
   */
  async get(name: string, input: Readonly<Record<string, unknown>>): Promise<Result> {
    const model = await this.#require(name);
    const given = readArguments(model, input);
    const purpose = purposeOf(model);
    const what =
      Object.keys(given).length > 0
        ? `${purpose} with the tool ${name}, for ${JSON.stringify(given)}.`
        : `${purpose} with the tool ${name}. Ask me first for what I know of the row.`;
    const text = `${what} Tell the interval or the classes that may be, too, and what did not fit.`;
    return { description: purpose, messages: [{ role: 'user', content: { type: 'text', text } }] };
  }

  /**
   * Returns the categories, or the names of series, that complete an argument.
   * @throws {RpcError} if there is no such prompt or argument
   * @throws {ProblemError} if the key does not have the scope
   */
  async complete(name: string, { argument, value }: Completable): Promise<string[]> {
    const model = await this.#require(name);
    const columns = columnsOf(model);
    const column = columns.find((one) => one.name === argument);
    if (!column && !(isForecast(model) && argument === STEPS)) {
      throw invalidParams(`The prompt has no argument ${JSON.stringify(argument)}.`);
    }
    return complete(column?.categories ?? [], value);
  }

  async #require(name: string): Promise<Serving> {
    const isOffered = this.chosen?.includes(name) ?? true;
    const entry = isOffered ? await this.#catalogue.find(name) : undefined;
    const model = entry && (await this.#findModel(entry));
    if (model) return model;
    const scope = isOffered ? this.#catalogue.findMissingScope(name) : undefined;
    if (scope) throw missingMcpScope(`the prompt ${JSON.stringify(name)}`, scope, this.request);
    throw invalidParams(`There is no prompt ${JSON.stringify(name)}; ask for prompts/list.`);
  }

  async #findModel({ name }: ToolEntry): Promise<Serving | undefined> {
    const model = await findServing(this.store, this.project.id, name);
    return model && model.status === 'ready' && hasColumns(model) ? model : undefined;
  }
}

/** The argument of a forecast beside the columns of its groups. */
const STEPS = 'steps';

function hasColumns(model: Model): model is Serving {
  return model.columns !== null;
}

function isForecast(model: Serving): model is Extract<Serving, { task: 'forecast' }> {
  return model.task === 'forecast';
}

function purposeOf(model: Serving): string {
  const [verb, of] = isForecast(model) ? ['Forecast', ' of a series'] : ['Predict', ''];
  return `${verb} ${JSON.stringify(model.target)}${of}`;
}

/** Returns the columns that arguments may name: those of the groups of a forecast, or those that the model uses. */
function columnsOf(model: Serving): readonly Column[] {
  if (!isForecast(model)) return usedColumns(model.columns);
  return model.columns.filter(({ name }) => model.group_by.includes(name));
}

function listArguments(model: Serving): Argument[] {
  const required = isForecast(model);
  const columns = columnsOf(model).slice(0, required ? undefined : MAX_ARGUMENTS);
  const listed = columns.map((column) => ({ name: column.name, description: describeValues(column), required }));
  if (!isForecast(model)) return listed;
  return [...listed, { name: STEPS, description: `A number of steps, 1 to ${model.horizon}`, required }];
}

function describeValues({ kind, min, max, categories }: Column): string {
  const range = min === null || max === null ? '' : `, ${min} to ${max}`;
  if (kind !== 'category') return `A ${kind}${range}`;
  return `Such as ${(categories ?? []).slice(0, MAX_EXAMPLES).join(', ')}`.slice(0, MAX_VALUE);
}

/** @throws {RpcError} if an argument is unknown, not a short text, or missing */
function readArguments(model: Serving, input: Readonly<Record<string, unknown>>): Record<string, string> {
  const names = new Set(columnsOf(model).map(({ name }) => name));
  if (isForecast(model)) names.add(STEPS);
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(input)) {
    if (!names.has(name)) throw invalidParams(`The prompt has no argument ${JSON.stringify(name)}.`);
    if (typeof value !== 'string' || value.length > MAX_VALUE) {
      throw invalidParams(`The argument ${JSON.stringify(name)} must be a text of at most ${MAX_VALUE} characters.`);
    }
    if (value !== '') given[name] = value;
  }
  const missing = listArguments(model).find(({ name, required }) => required && !Object.hasOwn(given, name));
  if (missing) throw invalidParams(`The prompt needs the argument ${JSON.stringify(missing.name)}.`);
  return given;
}
