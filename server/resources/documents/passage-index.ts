import { type Kysely, type RawBuilder, sql } from 'kysely';
import { getDialect } from '../../store/database/dialect.js';
import type { Database } from '../../store/database/schema.js';
import type { PreparedPassage } from './split-text.js';

interface StoredPassage extends Pick<PreparedPassage, 'terms'> {
  readonly skillId: string;
  /** The id of its row; PostgreSQL returns large numbers as strings. */
  readonly id: number | string;
}

export interface FoundPassage {
  readonly document: string;
  /** The number of the passage in its document, from 1. */
  readonly number: number;
  /** The headings that it is under; empty if there are none. */
  readonly headings: string;
  readonly content: string;
}

export interface PassageQuery {
  readonly skillId: string;
  /** Terms of letters, digits and marks, each of one word, or of several that are adjacent. */
  readonly terms: readonly string[];
  readonly limit: number;
}

/**
 * Adds passages to the index; they are removed with their rows. SQLite has FTS5 (https://www.sqlite.org/fts5.html),
 * which ranks by BM25, and PostgreSQL its text search (https://www.postgresql.org/docs/current/textsearch.html).
 */
export async function addToIndex(db: Kysely<Database>, passages: readonly StoredPassage[]): Promise<void> {
  if (!getDialect(db).locksRows) {
    const rows = passages.map(
      ({ id, skillId, terms }) => sql`(${id}, ${skillTerm(skillId)}, ${terms.headings}, ${terms.content})`,
    );
    await sql`
      insert into passage_terms (rowid, skill, headings, content) values ${sql.join(rows)}
    `.execute(db);
    return;
  }
  const ids = passages.map(({ id }) => String(id));
  const skills = passages.map(({ skillId }) => skillId);
  const headings = passages.map(({ terms }) => terms.headings);
  const contents = passages.map(({ terms }) => terms.content);
  await sql`
    insert into passage_terms (passage_id, skill_id, terms)
    select id, skill,
      setweight(to_tsvector('roster_text', headings), 'A') || to_tsvector('roster_text', content)
    from unnest(${ids}::bigint[], ${skills}::text[], ${headings}::text[], ${contents}::text[])
      as passage (id, skill, headings, content)
  `.execute(db);
}

const FOUND = sql`
  documents.name as document, passages.number, passages.headings, passages.content
`;

/** A word in a heading counts as much as this many in the text. */
const HEADING_WEIGHT = 2;

/** The same for PostgreSQL, which takes weights of at most 1: of the text, of B and C, of headings. */
const POSTGRES_WEIGHTS = `{${1 / HEADING_WEIGHT}, 1, 1, 1}`;

/** A passage that SQLite found, and what orders it: by its score, the lowest first, then by its id. */
export interface ScoredPassage extends FoundPassage {
  readonly id: number;
  readonly score: number;
}

/**
 * Returns a query for the passages of a skill's documents that have any of the terms, the best first.
 * @param ids looks only at passages with these ids, both included
 */
export function searchSqlite(
  { skillId, terms, limit }: PassageQuery,
  [first, last]: readonly [number, number] = [0, Number.MAX_SAFE_INTEGER],
): RawBuilder<ScoredPassage> {
  // Terms are letters, digits and marks, so that nothing within the quotes ends them.
  const any = terms.map((term) => `"${term}"`).join(' OR ');
  const query = `skill : "${skillTerm(skillId)}" AND {headings content} : (${any})`;
  return sql`select ${FOUND}, passages.id,
      bm25(passage_terms, 0, ${sql.lit(HEADING_WEIGHT)}, 1) as score
    from passage_terms
    join passages on passages.id = passage_terms.rowid
    join document_texts on document_texts.id = passages.text_id
    join documents on documents.id = document_texts.document_id
    where passage_terms match ${query} and documents.skill_id = ${skillId}
      and passage_terms.rowid between ${first} and ${last}
    order by score, passages.id
    limit ${limit}
  `;
}

/** The skill of a passage is a term too, so that a search passes over the passages of others. */
function skillTerm(skillId: string): string {
  return skillId.replaceAll('-', '');
}

/**
 * Returns a query for the passages of a skill's documents that have any of the terms, the best first. PostgreSQL's own
 * ranks know nothing of how rare a term is, so that "the" would count as much as "diamond": the rank of each term is
 * weighted as BM25 does, by its number of passages among those of the skill.
 */
export function searchPostgres({ skillId, terms, limit }: PassageQuery): RawBuilder<FoundPassage> {
  return sql`
    with term as materialized (
      select number, phraseto_tsquery('roster_text', term) as query
      from unnest(${terms}::text[]) with ordinality as given (term, number)
    ), hit as materialized (
      select term.number, passage_terms.passage_id, document_texts.document_id,
        ts_rank(${sql.lit(POSTGRES_WEIGHTS)}::real[], terms, query) as rank
      from term
      join passage_terms on passage_terms.skill_id = ${skillId} and terms @@ query
      join passages on passages.id = passage_terms.passage_id
      join document_texts on document_texts.id = passages.text_id
      join documents
        on documents.id = document_texts.document_id and documents.skill_id = ${skillId}
    ), weight as (
      select number, ln(1 + (passages - count(*) + 0.5) / (count(*) + 0.5))::double precision as weight
      from hit, (
        select sum(passages) as passages from documents where skill_id = ${skillId}
      ) as whole
      group by number, passages
    ), best as (
      select passage_id, document_id, sum(rank * weight) as score
      from hit join weight using (number)
      group by passage_id, document_id
      order by score desc, passage_id limit ${limit}
    )
    select ${FOUND}
    from best
    join passages on passages.id = best.passage_id
    join documents on documents.id = best.document_id
    order by score desc, passage_id
  `;
}
