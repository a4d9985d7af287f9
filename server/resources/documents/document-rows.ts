import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kysely, type SqlBool, sql } from 'kysely';
import type { components } from '../../../generated/openapi.js';
import { dialectOf } from '../../store/database/dialect.js';
import type { Database } from '../../store/database/schema.js';
import { inTransaction } from '../../store/database/transaction.js';
import { LimitReachedError } from '../../store/errors.js';
import type { Limits } from '../../store/quota.js';
import { adjustStored } from '../../store/quota.js';
import { chunks, newResource, type Page, paginate } from '../../store/rows.js';
import { addToIndex } from './passage-index.js';
import type { PreparedPassage } from './prepare.js';

/** A document without its text. */
export type Document = components['schemas']['Document'];

/** A text to store. */
interface NewText {
  /** Its size in UTF-8. */
  readonly bytes: number;
  readonly passages: readonly PreparedPassage[];
}

/** A text that is stored, and that no document has yet. */
export interface KeptText {
  readonly textId: string;
  readonly bytes: number;
  readonly passages: number;
}

/** A document to store. */
interface NewDocument {
  readonly name: string;
  readonly mediaType: Document['media_type'];
  readonly text: KeptText;
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

/** The space that a text takes beside its bytes: many empty ones are not free. */
const ROW_BYTES = 512;

/**
 * The passages that are written at once, and those that are deleted: SQLite works in the thread that serves requests.
 * In some scripts each character of a passage is a term.
 */
const ADDED_AT_ONCE = 16;
const DELETED_AT_ONCE = 64;

/**
 * The longest time that a text waits for its document, in milliseconds by the clock of the database: far
 * longer than writing it takes.
 */
const UPLOAD = 10 * 60 * 1000;

/**
 * Stores the documents of skills. A text is stored as its passages, in parts,
 * before a document takes it: a large text takes longer than a transaction may. A text that its document
 * no longer has is deleted part by part, by periodic sweeps, and counts towards what its owner stores
 * until then.
 */
export class DocumentStore {
  constructor(
    private readonly db: Kysely<Database>,
    private readonly limits: Limits,
    private readonly work: Kysely<Database>,
  ) {}

  list(skillId: string, page: Page): Promise<Document[]> {
    const all = this.db.selectFrom('documents').select(SHOWN).where('skill_id', '=', skillId);
    return paginate(all, 'id', page).execute();
  }

  /** Returns the text of a document, in pieces, and its media type; undefined if there is none. */
  async text(
    skillId: string,
    name: string,
  ): Promise<{ mediaType: Document['media_type']; pieces: readonly string[] } | undefined> {
    // One query, or a document that is replaced meanwhile would be half old and half new.
    const rows = await this.db
      .selectFrom('documents')
      .innerJoin('document_texts', 'document_texts.document_id', 'documents.id')
      .leftJoin('passages', 'passages.text_id', 'document_texts.id')
      .select(['documents.media_type', 'passages.content'])
      .where('documents.skill_id', '=', skillId)
      .where('documents.name', '=', name)
      .orderBy('passages.number')
      .execute();
    const [first] = rows;
    return first && { mediaType: first.media_type, pieces: rows.map((row) => row.content ?? '') };
  }

  /**
   * Stores a text for a document of a skill. Runs outside of transactions. If no document takes it within
   * ten minutes, it is deleted.
   * @throws {LimitReachedError} if the owner would exceed the limit; then nothing is kept
   */
  async keepText(owner: string, skillId: string, { bytes, passages }: NewText): Promise<KeptText> {
    const { id: textId } = newResource();
    const { now } = dialectOf(this.work);
    const held = bytes + ROW_BYTES;
    const upload_until = sql<number>`${now} + cast(${UPLOAD} as bigint)`;
    await inTransaction(this.work, async (db) => {
      const text = { id: textId, owner, bytes: held, upload_until };
      await db.insertInto('document_texts').values(text).execute();
      await adjustStored(db, owner, held, this.limits.stored);
    });
    try {
      for (let begin = 0; begin < passages.length; begin += ADDED_AT_ONCE) {
        const some = passages.slice(begin, begin + ADDED_AT_ONCE);
        await this.#addPassages(skillId, textId, some);
        // SQLite writes in this thread: let other requests run first.
        await nextTurn();
      }
    } catch (error) {
      await this.discardText(textId);
      throw error;
    }
    return { textId, bytes, passages: passages.length };
  }

  /** Releases a text that no document has taken. */
  async discardText(textId: string): Promise<void> {
    await this.work
      .updateTable('document_texts')
      .set({ upload_until: 0 })
      .where('id', '=', textId)
      .where('document_id', 'is', null)
      .execute();
  }

  /**
   * Creates a document, or replaces the one of this name. Runs within `Store.transaction`, with the
   * project locked.
   * @returns the document, and whether it was created
   * @throws {LimitReachedError}
   */
  async put(
    skillId: string,
    { name, mediaType, text: { textId, bytes, passages } }: NewDocument,
  ): Promise<{ document: Document; isNew: boolean }> {
    const { id: newId, created_at, updated_at } = newResource();
    const facts = { media_type: mediaType, bytes, passages, updated_at };
    const replaced = await this.#find(skillId, name);
    if (replaced) {
      const { id } = replaced;
      await this.db.updateTable('documents').set(facts).where('id', '=', id).execute();
      await this.#leaveText(id);
    } else {
      await this.#refuseTooMany(skillId);
      const row = { id: newId, skill_id: skillId, name, ...facts, created_at };
      await this.db.insertInto('documents').values(row).execute();
    }
    const id = replaced?.id ?? newId;
    await this.#takeText(textId, id);
    const document = { id, name, ...facts, created_at: replaced?.created_at ?? created_at };
    return { document, isNew: !replaced };
  }

  /**
   * Deletes a document; returns whether it existed. Runs within `Store.transaction`, with the project
   * locked.
   */
  async remove(skillId: string, name: string): Promise<boolean> {
    const { numDeletedRows } = await this.db
      .deleteFrom('documents')
      .where('skill_id', '=', skillId)
      .where('name', '=', name)
      .executeTakeFirst();
    return numDeletedRows > 0n;
  }

  /** Deletes some passages of a text without a document; returns whether there was such a text. */
  async sweep(): Promise<boolean> {
    const { now } = dialectOf(this.work);
    const text = await this.work
      .selectFrom('document_texts')
      .select('id')
      .where('document_id', 'is', null)
      .where(sql<SqlBool>`upload_until < ${now}`)
      .limit(1)
      .executeTakeFirst();
    if (!text) return false;
    const { numDeletedRows } = await this.work
      .deleteFrom('passages')
      .where('id', 'in', ({ selectFrom }) =>
        selectFrom('passages as part')
          .select('part.id')
          .where('part.text_id', '=', text.id)
          .limit(DELETED_AT_ONCE),
      )
      .executeTakeFirst();
    if (numDeletedRows === 0n) await this.#removeText(text.id);
    return true;
  }

  #find(skillId: string, name: string) {
    return this.db
      .selectFrom('documents')
      .select(['id', 'created_at'])
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
    const { resources } = this.limits;
    if (Number(documents) >= resources) throw new LimitReachedError('documents', resources);
  }

  #addPassages(
    skillId: string,
    text_id: string,
    passages: readonly PreparedPassage[],
  ): Promise<void> {
    return inTransaction(this.work, async (db) => {
      for (const part of chunks(passages)) {
        const ids = await db
          .insertInto('passages')
          .values(part.map(({ terms: _, ...passage }) => ({ ...passage, text_id })))
          .returning(['id', 'number'])
          .execute();
        const termsOf = new Map(part.map(({ number, terms }) => [number, terms]));
        const stored = ids.flatMap(({ id, number }) => {
          const terms = termsOf.get(number);
          return terms ? [{ id, terms }] : [];
        });
        await addToIndex(db, skillId, stored);
      }
    });
  }

  /** @throws {Error} if the text has been discarded */
  async #takeText(textId: string, documentId: string): Promise<void> {
    const { numUpdatedRows } = await this.db
      .updateTable('document_texts')
      .set({ document_id: documentId, upload_until: 0 })
      .where('id', '=', textId)
      .where('document_id', 'is', null)
      .where('upload_until', '>', 0)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new Error('The text of a document has been discarded');
  }

  async #leaveText(documentId: string): Promise<void> {
    await this.db
      .updateTable('document_texts')
      .set({ document_id: null })
      .where('document_id', '=', documentId)
      .execute();
  }

  #removeText(id: string): Promise<void> {
    return inTransaction(this.work, async (db) => {
      const removed = await db
        .deleteFrom('document_texts')
        .where('id', '=', id)
        .returning(['owner', 'bytes'])
        .executeTakeFirst();
      if (removed) await adjustStored(db, removed.owner, -removed.bytes);
    });
  }
}
