/** Which tools a project has, by their names alone: a project may have thousands. */

import { hash } from 'node:crypto';
import { type SqlBool, sql } from 'kysely';
import type { Scope } from '../../contract/scopes.js';
import type { Caller } from '../auth/caller.js';
import { selectAnsweringModels } from '../models/model-rows.js';
import type { Project } from '../projects/projects.js';
import { DOCUMENT_TYPES } from '../resources/documents/documents.js';
import type { Store } from '../store/index.js';

export type ToolKind = 'predict' | 'ask' | 'search' | 'query';

/** The kinds of tools in the order of lists, and the scope that each needs. */
const KINDS: readonly { readonly kind: ToolKind; readonly scope: Scope }[] = [
  { kind: 'predict', scope: 'predict' },
  { kind: 'ask', scope: 'ask' },
  { kind: 'search', scope: 'read' },
  // Tables are read through agents otherwise, so their scope it is.
  { kind: 'query', scope: 'ask' },
];

/** A tool of a project, not yet described. */
export interface ToolEntry {
  /** Up to 64 letters, digits, underscores and dashes: `predict_prices`. */
  readonly toolName: string;
  readonly kind: ToolKind;
  /** The name of the model, agent or skill behind it. */
  readonly name: string;
}

/** An entry that is found, with what is predicted if it is of a model. */
export interface FoundEntry extends ToolEntry {
  readonly target: string | null;
}

/** The most characters of a tool's name that all chat servers take. */
const MAX_NAME = 64;
const HASH_LENGTH = 8;
const HASHED = new RegExp(`_[0-9a-f]{${HASH_LENGTH}}$`);
/** The names that `nameTool` makes, and none that a database cannot compare. */
const TOOL_NAME = new RegExp(`^(?=.{1,${MAX_NAME}}$)([a-z]+)_([A-Za-z0-9_-]+)$`);

/**
 * Returns the name of the tool of a resource. It is the same whatever else the project has, so that clients may keep
 * it; where the resource's own name is too long or has a dot, a hash of it distinguishes it from others.
 */
function nameTool(kind: ToolKind, name: string): string {
  const whole = `${kind}_${name}`;
  if (whole.length <= MAX_NAME && !name.includes('.')) return whole;
  const stem = whole.replaceAll('.', '_').slice(0, MAX_NAME - HASH_LENGTH - 1);
  return `${stem}_${hash('sha256', name).slice(0, HASH_LENGTH)}`;
}

/** The most names that are read to find the one with a hash. */
const MAX_CANDIDATES = 1000;

export class Catalogue {
  /** @param isAvailable whether the service can answer a kind */
  constructor(
    private readonly store: Store,
    private readonly project: Project,
    private readonly caller: Caller,
    private readonly isAvailable: (kind: ToolKind) => boolean,
  ) {}

  /**
   * Finds a tool by its name. Its model or agent is looked up when the tool is used.
   * @returns undefined if no tool can have the name, or the key does not allow its kind
   */
  async find(toolName: string): Promise<ToolEntry | undefined> {
    const [, prefix, name = ''] = TOOL_NAME.exec(toolName) ?? [];
    const found = KINDS.find(({ kind }) => kind === prefix);
    if (!found || !this.#allows(found)) return undefined;
    const { kind } = found;
    const hashed = HASHED.test(name) ? await this.#findHashed(kind, toolName) : undefined;
    if (hashed) return hashed;
    return nameTool(kind, name) === toolName ? { toolName, kind, name } : undefined;
  }

  /** Returns the scope that the kind of a tool needs, and the key does not have; undefined if it has it, or none is needed. */
  findMissingScope(toolName: string): Scope | undefined {
    const [, prefix] = TOOL_NAME.exec(toolName) ?? [];
    const found = KINDS.find(({ kind }) => kind === prefix);
    if (!found || !this.isAvailable(found.kind) || this.caller.scopes.includes(found.scope)) return undefined;
    return found.scope;
  }

  async #findHashed(kind: ToolKind, toolName: string): Promise<ToolEntry | undefined> {
    const stem = toolName.slice(kind.length + 1, -HASH_LENGTH - 1);
    // Where the name has a dot, the stem has `_`, which stands for any character.
    const isCandidate = sql<SqlBool>`name like ${`${stem}%`}`;
    const rows = await this.#read(kind, MAX_CANDIDATES, isCandidate);
    return rows.find((entry) => entry.toolName === toolName);
  }

  /**
   * Lists tools by kind and name.
   * @param max of each kind
   * @param words in lower case, one of which each name, or the target of the model, contains; none for all tools
   */
  async list(max: number, words: readonly string[] = []): Promise<FoundEntry[]> {
    const hits = words.map((word) => {
      const pattern = `%${word}%`;
      return sql`lower(name) like ${pattern} or lower(coalesce(target, '')) like ${pattern}`;
    });
    const isFound = hits.length === 0 ? ALL : sql<SqlBool>`(${sql.join(hits, sql` or `)})`;
    const kinds = KINDS.filter((kind) => this.#allows(kind));
    const found = kinds.map(({ kind }) => this.#read(kind, max, isFound));
    return (await Promise.all(found)).flat();
  }

  #allows({ kind, scope }: (typeof KINDS)[number]): boolean {
    return this.caller.scopes.includes(scope) && this.isAvailable(kind);
  }

  async #read(kind: ToolKind, max: number, condition: typeof ALL): Promise<FoundEntry[]> {
    const rows = await this.store.reads
      .selectFrom(selectNames(this.store, this.project, kind).as('named'))
      .select(['name', 'target'])
      .where(condition)
      .orderBy('name')
      .limit(max)
      .execute();
    return rows.map(({ name, target }) => {
      return { toolName: nameTool(kind, name), kind, name, target };
    });
  }
}

const ALL = sql<SqlBool>`1 = 1`;

function selectNames({ reads }: Store, { id }: Project, kind: ToolKind) {
  const noTarget = sql<string | null>`cast(null as text)`.as('target');
  if (kind === 'predict') {
    return selectAnsweringModels(reads, id).select([
      'models.name',
      sql<string | null>`model_versions.target`.as('target'),
    ]);
  }
  if (kind === 'ask') {
    return reads.selectFrom('agents').select(['name', noTarget]).where('project_id', '=', id);
  }
  return reads
    .selectFrom('skills')
    .select(['name', noTarget])
    .where('project_id', '=', id)
    .where('type', 'in', kind === 'search' ? DOCUMENT_TYPES : ['sql']);
}
