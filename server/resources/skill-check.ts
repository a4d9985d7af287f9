import { asRecord } from '../contract/json-record.js';
import { isSystemName } from '../databases/sql-databases.js';
import { findModel } from '../models/model-rows.js';
import { type FieldError, problem } from '../problems/problem.js';
import type { Project } from '../projects/projects.js';
import type { Store } from '../store/index.js';

/**
 * Returns the names of the databases that an owner may use; undefined if the service has none, so
 * that no name can be checked.
 */
export type DatabaseNames = (owner: string) => readonly string[] | undefined;

/** The most tables that a skill of the type `sql` names. */
const MAX_TABLES = 100;

/** A fault of a param, and how to fix it. */
interface Fault {
  /** The place within the params, such as `/tables/3`. */
  readonly at: string;
  readonly message: string;
}

type Params = Readonly<Record<string, unknown>>;

/**
 * Refuses a skill whose type is a tool of agents and whose params do not suffice for it. Skills of
 * other types are data, and pass.
 * @param skill the skill as it would be stored
 * @param databases the databases that its owner may use, as `DatabaseNames` returns them
 * @throws {ProblemError} 422 with a pointer to each faulty param
 */
export async function checkSkill(
  tx: Store,
  project: Project,
  skill: { readonly type: string; readonly params: string },
  databases: readonly string[] | undefined,
): Promise<void> {
  const params = asRecord(JSON.parse(skill.params));
  const faults = await findFaults(skill.type, params, { tx, project, databases });
  if (faults.length === 0) return;
  throw problem('/problems/unusable-skill', 'No agent could use the skill; nothing was changed.', {
    errors: faults.map(inBody),
  });
}

interface Scope {
  readonly tx: Store;
  readonly project: Project;
  readonly databases: readonly string[] | undefined;
}

async function findFaults(type: string, params: Params, scope: Scope): Promise<Fault[]> {
  switch (type) {
    case 'model':
      return [...(await modelFaults(params, scope)), ...optionalText(params, 'description')];
    case 'sql':
      return [
        ...databaseFaults(params, scope),
        ...tableFaults(params),
        ...optionalText(params, 'description'),
      ];
    case 'retrieval':
      return [
        ...requiredText(
          params,
          'source',
          `a skill of the type retrieval says what its documents are about`,
        ),
        ...optionalText(params, 'description'),
      ];
    case 'knowledge_base':
      return [...optionalText(params, 'source'), ...optionalText(params, 'description')];
    default:
      return [];
  }
}

async function modelFaults(params: Params, { tx, project }: Scope): Promise<Fault[]> {
  const missing = requiredText(
    params,
    'model',
    'a skill of the type model names a model of the project',
  );
  if (missing.length > 0) return missing;
  const name = String(params['model']);
  const model = await findModel(tx, project.id, name);
  if (!model) {
    const message = `must be a model of the project "${project.name}", which has none with the name "${name}"; train it first, or correct the name`;
    return [{ at: '/model', message }];
  }
  const { version } = params;
  if (version === undefined) return [];
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) {
    return [
      {
        at: '/version',
        message:
          'must be the number of a version, such as 1; leave it out to use the version that serves',
      },
    ];
  }
  if (await findModel(tx, project.id, name, version)) return [];
  const message = `must be a version of the model "${name}", which has no version ${version}; leave it out to use the version that serves`;
  return [{ at: '/version', message }];
}

function databaseFaults(params: Params, { databases: names }: Scope): Fault[] {
  const missing = requiredText(
    params,
    'database',
    'a skill of the type sql names a database of the service',
  );
  if (missing.length > 0) return missing;
  if (names === undefined || names.some((name) => name === params['database'])) return [];
  const choice =
    names.length > 0
      ? `one of ${names.join(', ')}`
      : 'a database of the service, which has none for you';
  return [
    {
      at: '/database',
      message: `must be ${choice}; those who run the service add databases with DATABASES`,
    },
  ];
}

function tableFaults({ tables }: Params): Fault[] {
  const rule = `an array of 1 to ${MAX_TABLES} names of tables`;
  if (tables === undefined) {
    return [{ at: '/tables', message: `is missing; a skill of the type sql has ${rule}` }];
  }
  if (!Array.isArray(tables) || tables.length === 0 || tables.length > MAX_TABLES) {
    return [{ at: '/tables', message: `must be ${rule}` }];
  }
  return tables.flatMap((table, index) => {
    const at = `/tables/${index}`;
    if (!isName(table)) return [{ at, message: 'must be the name of a table' }];
    const message = 'must not be a table of the database system; name tables and views of your own';
    return isSystemName(table) ? [{ at, message }] : [];
  });
}

function requiredText(params: Params, name: string, rule: string): Fault[] {
  const value = params[name];
  if (value === undefined) return [{ at: `/${name}`, message: `is missing; ${rule}` }];
  return isName(value) ? [] : [{ at: `/${name}`, message: `must be a text; ${rule}` }];
}

function optionalText(params: Params, name: string): Fault[] {
  const value = params[name];
  return value === undefined || typeof value === 'string'
    ? []
    : [{ at: `/${name}`, message: 'must be a text, or be left out' }];
}

/** Returns whether a value is a text with more than spaces. */
function isName(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function inBody({ at, message }: Fault): FieldError {
  return { pointer: `/body/skill/params${at}`, message };
}
