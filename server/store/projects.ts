import type { Kysely } from 'kysely';
import type { components } from '../../generated/openapi.js';
import { heedConstraints } from './errors.js';
import { inOrder, type Page } from './page.js';
import { newResource } from './resource.js';
import type { Database } from './schema.js';

export type Project = components['schemas']['Project'];

/** The kinds of resource that a project holds. */
const HELD = ['skills', 'agents', 'chatbots', 'models'] as const;
type Held = (typeof HELD)[number];

/** How many resources of each kind a project holds. */
export type Contents = Readonly<Record<Held, number>>;

export class ProjectStore {
  constructor(private readonly db: Kysely<Database>) {}

  list(page: Page): Promise<Project[]> {
    return inOrder(this.db.selectFrom('projects').selectAll(), 'id', page).execute();
  }

  find(name: string): Promise<Project | undefined> {
    return this.db.selectFrom('projects').selectAll().where('name', '=', name).executeTakeFirst();
  }

  /** @throws {NameTakenError} */
  async create(name: string): Promise<Project> {
    const { id, created_at } = newResource();
    const project = { id, name, created_at };
    await heedConstraints(() => this.db.insertInto('projects').values(project).execute());
    return project;
  }

  /** Deletes a project that holds nothing; of one that does, it tells what it holds. */
  async remove({ id }: Project): Promise<Contents | undefined> {
    return this.db.transaction().execute(async (db) => {
      const contents = await contentsOf(db, id);
      if (HELD.some((kind) => contents[kind] > 0)) return contents;
      await db.deleteFrom('projects').where('id', '=', id).execute();
      return undefined;
    });
  }
}

async function contentsOf(db: Kysely<Database>, projectId: string): Promise<Contents> {
  const count = async (kind: Held) => {
    const { rows } = await db
      .selectFrom(kind)
      .select(({ fn }) => fn.countAll<number>().as('rows'))
      .where('project_id', '=', projectId)
      .executeTakeFirstOrThrow();
    return Number(rows);
  };
  return {
    skills: await count('skills'),
    agents: await count('agents'),
    chatbots: await count('chatbots'),
    models: await count('models'),
  };
}
