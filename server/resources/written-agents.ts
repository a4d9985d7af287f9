import type { Kysely, Selectable } from 'kysely';
import { LruCache } from '../common/lru-cache.js';
import { pausing } from '../common/pausing.js';
import { dialectOf } from '../store/database/dialect.js';
import type { Database } from '../store/database/schema.js';
import { partsOf } from '../store/page.js';
import { skillTexts } from './skill-rows.js';
import { agentJson } from './written-json.js';

/** The most characters of skills that are cached for further agents of a list. */
const MAX_KEPT_CHARACTERS = 4 * 1024 * 1024;

/**
 * Writes agents with all of their skills, which it reads from the store in parts. Many agents of a
 * list use the same skills, so the most recent ones are cached.
 */
export class AgentWriter {
  readonly #written = new LruCache<string>({ maxSize: MAX_KEPT_CHARACTERS });
  readonly #pause = pausing();

  constructor(private readonly db: Kysely<Database>) {}

  /** @returns the JSON of the agent, in pieces */
  async write(row: Selectable<Database['agents']>): Promise<readonly string[]> {
    const used = await this.#skillsOf(row.id);
    const texts = new Map<string, string>();
    for (const { id } of used) {
      const text = this.#written.get(id);
      if (text !== undefined) texts.set(id, text);
    }
    await this.#pause();
    for (const part of partsOf(used.filter(({ id }) => !texts.has(id)))) {
      const read = await skillTexts(
        this.db,
        part.map(({ id }) => id),
      );
      for (const [id, text] of read) {
        texts.set(id, text);
        this.#written.set(id, text, text.length);
      }
      await this.#pause();
    }
    // A skill that was deleted in the meantime is no longer used.
    return agentJson(
      row,
      used.flatMap(({ id }) => texts.get(id) ?? []),
    );
  }

  #skillsOf(agentId: string) {
    return this.db
      .selectFrom('agent_skills')
      .innerJoin('skills', 'skills.id', 'agent_skills.skill_id')
      .select(['skills.id', dialectOf(this.db).octets('skills.params').as('bytes')])
      .where('agent_skills.agent_id', '=', agentId)
      .orderBy('agent_skills.position')
      .execute();
  }
}
