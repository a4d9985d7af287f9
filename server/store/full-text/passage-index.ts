import type { Kysely, RawBuilder } from 'kysely';
import { dialectOf } from '../database/dialect.js';
import { sql } from '../database/kysely.js';
import type { Database } from '../database/schema.js';
import type { PreparedPassage } from './prepare.js';

/** A passage that is stored, and is to be found. */
export interface StoredPassage extends PreparedPassage {
  /** The id of its row; PostgreSQL returns large numbers as strings. */
  readonly id: number | string;
}

/** The passages that a search found: rows of an id, and of a score that is higher for the better. */
export type Ranking = RawBuilder<{ id: number | string; score: number }>;

/** The full-text search of a database. */
interface PassageIndex {
  /** Adds passages of a skill; they are removed with their rows. */
  add(db: Kysely<Database>, skillId: string, passages: readonly StoredPassage[]): Promise<void>;
  /**
   * Returns the query of the passages of a skill that have any of the terms, the best first.
   * @param terms of letters, digits and marks, each of one word, or of several that are adjacent
   */
  ranking(skillId: string, terms: readonly string[], limit: number): Ranking;
}

/** Returns the full-text search of the database that a connection leads to. */
export function passageIndex(db: Kysely<Database>): PassageIndex {
  return dialectOf(db).locksRows ? postgres : sqlite;
}

/** A word in a heading counts as much as this many in the text. */
const HEADING_WEIGHT = 2;

/** The same for PostgreSQL, which takes weights of at most 1: of the text, of B and C, of headings. */
const POSTGRES_WEIGHTS = `{${1 / HEADING_WEIGHT}, 1, 1, 1}`;

/** FTS5 (https://www.sqlite.org/fts5.html), which ranks by BM25. */
const sqlite: PassageIndex = {
  add: async (db, skillId, passages) => {
    const rows = passages.map(
      ({ id, terms }) => sql`(${id}, ${skillTerm(skillId)}, ${terms.headings}, ${terms.content})`,
    );
    await sql`
      insert into passage_terms (rowid, skill, headings, content) values ${sql.join(rows)}
    `.execute(db);
  },
  ranking: (skillId, terms, limit) => {
    // Terms are letters, digits and marks, so that nothing within the quotes ends them.
    const any = terms.map((term) => `"${term}"`).join(' OR ');
    const query = `skill : "${skillTerm(skillId)}" AND {headings content} : (${any})`;
    return sql`
      select rowid as id, -bm25(passage_terms, 0, ${sql.lit(HEADING_WEIGHT)}, 1) as score
      from passage_terms where passage_terms match ${query}
      order by score desc, rowid limit ${limit}
    `;
  },
};

/** The skill of a passage is a term too, so that a search passes over the passages of others. */
function skillTerm(skillId: string): string {
  return skillId.replaceAll('-', '');
}

/**
 * PostgreSQL's text search (https://www.postgresql.org/docs/current/textsearch.html). Its own ranks know
 * nothing of how rare a term is, so that "the" would count as much as "diamond": the rank of each term is
 * weighted as BM25 does, by its number of passages among those of the skill.
 */
const postgres: PassageIndex = {
  add: async (db, skillId, passages) => {
    const ids = passages.map(({ id }) => String(id));
    const headings = passages.map(({ terms }) => terms.headings);
    const contents = passages.map(({ terms }) => terms.content);
    await sql`
      insert into passage_terms (passage_id, skill_id, terms)
      select id, ${skillId}::text,
        setweight(to_tsvector('roster_text', headings), 'A') || to_tsvector('roster_text', content)
      from unnest(${ids}::bigint[], ${headings}::text[], ${contents}::text[])
        as passage (id, headings, content)
    `.execute(db);
  },
  ranking: (skillId, terms, limit) => sql`
    with term as materialized (
      select number, phraseto_tsquery('roster_text', term) as query
      from unnest(${terms}::text[]) with ordinality as given (term, number)
    ), hit as materialized (
      select number, passage_id,
        ts_rank(${sql.lit(POSTGRES_WEIGHTS)}::real[], terms, query) as rank
      from term join passage_terms on skill_id = ${skillId} and terms @@ query
    ), weight as (
      select number, ln(1 + (passages - count(*) + 0.5) / (count(*) + 0.5))::double precision as weight
      from hit, (
        select sum(passages) as passages from documents where skill_id = ${skillId}
      ) as whole
      group by number, passages
    )
    select passage_id as id, sum(rank * weight) as score
    from hit join weight using (number)
    group by passage_id
    order by score desc, passage_id limit ${limit}
  `,
};
