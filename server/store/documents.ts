import type { Kysely } from 'kysely';
import type { components } from '../../generated/openapi.js';
import type { Bounds } from './bounds.js';
import { sql } from './database/kysely.js';
import type { Database } from './database/schema.js';
import { inTransaction } from './database/transaction.js';
import { LimitReachedError } from './errors.js';
import { passageIndex } from './full-text/passage-index.js';
import type { PreparedPassage } from './full-text/prepare.js';
import { queryTerms } from './full-text/terms.js';
import { pausing } from './json/written-json.js';
import { inParts } from './lookup.js';
import { adjustStored, refuseFullOwner } from './owner-quota.js';
import { inOrder, type Page } from './page.js';
import { newResource } from './resource.js';

/** A document without its text. */
export type Document = components['schemas']['Document'];

/** A document to store. */
export interface NewDocument {
  readonly name: string;
  readonly mediaType: Document['media_type'];
  /** The size of the text in UTF-8. */
  readonly bytes: number;
  readonly passages: readonly PreparedPassage[];
}

/** The skill that documents belong to. */
export interface DocumentOwner {
  readonly owner: string;
  readonly skillId: string;
}

/** A passage that a search found. */
export interface FoundPassage {
  /** The name of the document. */
  readonly document: string;
  /** The number of the passage in its document, from 1. */
  readonly number: number;
  /** The headings that it is under; empty if there are none. */
  readonly headings: string;
  readonly content: string;
}

/** The columns of a document that callers see. */
const SHOWN = [
  'id',
  'name',
  'media_type',
  'bytes',
  'passages',
  'created_at',
  'updated_at',
] as const;

/** The space that a document takes beside its text, in bytes: many empty ones are not free. */
const ROW_BYTES = 512;

/** The passages that are written at once. SQLite writes in the thread that serves requests. */
const WRITTEN_AT_ONCE = 32;

/**
 * Stores the documents of skills, and finds passages in them. Writes run within `Store.transaction`, with
 * the project locked. The text of a document is stored as its passages.
 */
export class DocumentStore {
  constructor(
    private readonly db: Kysely<Database>,
    private readonly most: Bounds,
    private readonly work: Kysely<Database>,
  ) {}

  list(skillId: string, page: Page): Promise<Document[]> {
    const all = this.db.selectFrom('documents').select(SHOWN).where('skill_id', '=', skillId);
    return inOrder(all, 'id', page).execute();
  }

  /** Returns the text of a document, in pieces, and its media type; undefined if there is none. */
  async text(
    skillId: string,
    name: string,
  ): Promise<{ mediaType: Document['media_type']; pieces: readonly string[] } | undefined> {
    // One query, or a document that is replaced meanwhile would be half old and half new.
    const rows = await this.db
      .selectFrom('documents')
      .leftJoin('passages', 'passages.document_id', 'documents.id')
      .select(['documents.media_type', 'passages.content'])
      .where('documents.skill_id', '=', skillId)
      .where('documents.name', '=', name)
      .orderBy('passages.number')
      .execute();
    const [first] = rows;
    return first && { mediaType: first.media_type, pieces: rows.map((row) => row.content ?? '') };
  }

  /**
   * Creates a document, or replaces the one of this name.
   * @returns the document, and whether it was created
   * @throws {LimitReachedError}
   */
  async put(
    { owner, skillId }: DocumentOwner,
    { name, mediaType, bytes, passages }: NewDocument,
  ): Promise<{ document: Document; isNew: boolean }> {
    const { id: newId, created_at, updated_at } = newResource();
    const facts = { media_type: mediaType, bytes, passages: passages.length, updated_at };
    const replaced = await this.#find(skillId, name);
    if (!replaced) await this.#refuseTooMany(skillId);
    const by = replaced ? bytes - replaced.bytes : bytes + ROW_BYTES;
    if (by > 0) await refuseFullOwner(this.db, owner, this.most.stored);
    if (replaced) {
      const { id } = replaced;
      await this.db.updateTable('documents').set(facts).where('id', '=', id).execute();
      await this.db.deleteFrom('passages').where('document_id', '=', id).execute();
    } else {
      const row = { id: newId, owner, skill_id: skillId, name, ...facts, created_at };
      await this.db.insertInto('documents').values(row).execute();
    }
    const id = replaced?.id ?? newId;
    await this.#addPassages(skillId, id, passages);
    // Last: other writes of the owner wait from here on.
    await adjustStored(this.db, owner, by, this.most.stored);
    const document = { id, name, ...facts, created_at: replaced?.created_at ?? created_at };
    return { document, isNew: !replaced };
  }

  /** Deletes a document; returns whether it existed. */
  async remove({ owner, skillId }: DocumentOwner, name: string): Promise<boolean> {
    const found = await this.#find(skillId, name);
    if (!found) return false;
    await this.db.deleteFrom('documents').where('id', '=', found.id).execute();
    await adjustStored(this.db, owner, -(found.bytes + ROW_BYTES));
    return true;
  }

  /**
   * Finds the passages of a skill that have words of a query, the best first. Nothing in a query is an
   * operator.
   */
  async search(skillId: string, query: string, limit: number): Promise<FoundPassage[]> {
    const terms = queryTerms(query);
    if (terms.length === 0) return [];
    const ranking = passageIndex(this.db).ranking(skillId, terms, limit);
    const { rows } = await sql<FoundPassage>`select
        documents.name as document, passages.number, passages.headings, passages.content
      from (${ranking}) as ranking
      join passages on passages.id = ranking.id
      join documents on documents.id = passages.document_id and documents.skill_id = ${skillId}
      order by ranking.score desc, ranking.id
    `.execute(this.db);
    return rows;
  }

  /** Deletes one document of a deleted skill; returns whether there was one. */
  async sweep(): Promise<boolean> {
    const document = await this.work
      .selectFrom('documents')
      .select('id')
      .where('skill_id', 'is', null)
      .limit(1)
      .executeTakeFirst();
    if (!document) return false;
    await inTransaction(this.work, async (db) => {
      const removed = await db
        .deleteFrom('documents')
        .where('id', '=', document.id)
        .returning(['owner', 'bytes'])
        .executeTakeFirst();
      if (removed) await adjustStored(db, removed.owner, -(removed.bytes + ROW_BYTES));
    });
    return true;
  }

  #find(skillId: string, name: string) {
    return this.db
      .selectFrom('documents')
      .select(['id', 'bytes', 'created_at'])
      .where('skill_id', '=', skillId)
      .where('name', '=', name)
      .executeTakeFirst();
  }

  async #refuseTooMany(skillId: string): Promise<void> {
    const { documents } = await this.db
      .selectFrom('documents')
      .select(({ fn }) => fn.countAll().as('documents'))
      .where('skill_id', '=', skillId)
      .executeTakeFirstOrThrow();
    const { resources } = this.most;
    if (Number(documents) >= resources) throw new LimitReachedError('documents', resources);
  }

  async #addPassages(
    skillId: string,
    document_id: string,
    passages: readonly PreparedPassage[],
  ): Promise<void> {
    const index = passageIndex(this.db);
    const pause = pausing();
    for (let begin = 0; begin < passages.length; begin += WRITTEN_AT_ONCE) {
      for (const part of inParts(passages.slice(begin, begin + WRITTEN_AT_ONCE))) {
        const ids = await this.db
          .insertInto('passages')
          .values(part.map(({ terms: _, ...passage }) => ({ ...passage, document_id })))
          .returning(['id', 'number'])
          .execute();
        const idOf = new Map(ids.map(({ id, number }) => [number, id]));
        await index.add(
          this.db,
          skillId,
          part.map((passage) => ({ ...passage, id: idOf.get(passage.number) ?? 0 })),
        );
        await pause();
      }
    }
  }
}
