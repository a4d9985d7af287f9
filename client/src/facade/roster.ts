import type { Resources } from '../../../generated/facade.js';
import { createRosterClient, type RosterClientOptions } from '../client.js';
import type { RosterClient } from '../contract/calls.js';
import { createMethod, TABLE } from './method.js';
import type { AnyModels, ModelsOf, TypedModels } from './models.js';

/** The address of the service, and the project whose resources the façade reads. */
export interface RosterOptions extends RosterClientOptions {
  /** Default: `default`, which every owner has. */
  project?: string | undefined;
}

/**
 * The operations of the contract as methods: `roster.skills.create(…)` is `createSkill`.
 *
 * @typeParam Models the models of the project, as `npx roster-client types` writes them
 */
export interface Roster<Models extends ModelsOf<Models> = AnyModels> extends Omit<Resources, 'models'> {
  /** The models of the project, which train on tables and predict rows; with `Models`, typed by their columns. */
  readonly models: TypedModels<Models>;
  /** The client that sends the requests: `roster.client.use(retry())`. */
  readonly client: RosterClient;
  /** The project whose resources are read. */
  readonly project: string;
  /** Returns the same for another project of the owner. */
  inProject<Others extends ModelsOf<Others> = AnyModels>(project: string): Roster<Others>;
}

/**
 * Creates a façade of the service at `baseUrl`. A method returns the data of the answer, and throws a problem as a
 * `ProblemError`; `result()` of what it returns has either, and the response.
 *
 * @example
 * const roster = createRoster({ baseUrl: 'http://127.0.0.1:4000', project: 'shop' });
 * const skill = await roster.skills.get('sales_questions');
 */
export function createRoster<Models extends ModelsOf<Models> = AnyModels>({
  project = 'default',
  ...options
}: RosterOptions): Roster<Models> {
  return buildRoster(createRosterClient(options), project);
}

function buildRoster<Models extends ModelsOf<Models>>(client: RosterClient, project: string): Roster<Models> {
  const resources = Object.entries(TABLE).map(([resource, operations]) => [
    resource,
    Object.fromEntries(
      Object.entries(operations).map(([name, operation]) => [name, createMethod(client, project, operation)]),
    ),
  ]);
  const own = { client, project, inProject: (other: string) => buildRoster<AnyModels>(client, other) };
  // The table has a row for each method, as its type demands; facade.test-d.ts checks their types.
  return Object.assign(Object.fromEntries(resources), own) as Roster<Models>;
}
