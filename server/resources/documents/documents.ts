import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { components } from '../../../generated/openapi.js';
import type { Handlers } from '../../api/handlers.js';
import { listPage } from '../../api/list-page.js';
import { type Conditions, checkPreconditions, isConditional, isKnown } from '../../api/preconditions.js';
import { entityTag, PlainText } from '../../api/reply/send.js';
import { type ProblemError, problem, unavailable } from '../../problems/problem.js';
import { findProject, inProject, type Project } from '../../projects/projects.js';
import { getDialect, inTransaction } from '../../store/database/dialect.js';
import { describeParts } from '../../store/forget-rows.js';
import type { Store } from '../../store/index.js';
import { adjustStored } from '../../store/quota.js';
import { chunks, lookup, newResource, type Page, paginate } from '../../store/rows.js';
import { type FoundSkill, findSkill } from '../skills.js';
import { addToIndex } from './passage-index.js';
import { type PreparedPassage, preparePassages } from './split-text.js';

type DocumentOperations = Pick<Handlers, 'listDocuments' | 'getDocument' | 'putDocument' | 'deleteDocument'>;

/** The types of skills that find passages in documents. */
export const DOCUMENT_TYPES = ['retrieval', 'knowledge_base'];

export function documentOperations(store: Store): DocumentOperations {
  return {
    listDocuments: async ({ caller, params, query, base, reply }) => {
      const project = await findProject(store, caller, params.project_name);
      const { id, name } = await findSkill(store, project, params.skill_name);
      const page = await listPage(
        `${base}/projects/${project.name}/skills/${name}/documents`,
        query,
        (part) => listDocuments(store, id, part),
        (document) => document,
      );
      return reply({ status: 200, ...page });
    },

    getDocument: async ({ caller, params, headers: conditions, reply }) => {
      const project = await findProject(store, caller, params.project_name);
      const skill = await findSkill(store, project, params.skill_name);
      const document = await readText(store, skill.id, params.document_name);
      if (!document) throw notFound(params.document_name, skill);
      const { mediaType, pieces } = document;
      // Each text that is sent is stored anew, and never changed: its id says which one it is.
      const headers = { ETag: await entityTag([document.textId]) };
      if (isKnown(conditions, headers.ETag)) return reply({ status: 304, headers });
      return reply({ status: 200, body: new PlainText(`${mediaType}; charset=utf-8`, pieces), headers });
    },

    putDocument: async ({ caller, params, headers: conditions, body, base, reply }) => {
      const { project_name, skill_name, document_name: name } = params;
      // Before the text is stored, which is work; and again when it has been.
      const known = await findProject(store, caller, project_name);
      const { id } = await findDocumentSkill(store, known, skill_name);
      await checkText(store, id, name, conditions);
      const { mediaType, text: sent } = body;
      const passages = await preparePassages(sent, mediaType === 'text/markdown');
      const bytes = Buffer.byteLength(sent);
      const text = await storeText(store, caller.owner, id, { bytes, passages });
      return inProject(store, caller, project_name, async (tx, project) => {
        const skill = await findDocumentSkill(tx, project, skill_name);
        // The terms of the stored text are those of the skill that has gone.
        if (skill.id !== id) {
          throw unavailable(`The skill "${skill.name}" was replaced meanwhile; send the document again.`);
        }
        await checkText(tx, id, name, conditions);
        const { document, isNew } = await putDocument(tx, skill, name, mediaType, text);
        const ETag = await entityTag([text.textId]);
        if (!isNew) return reply({ status: 200, body: document, headers: { ETag } });
        const Location = `${base}/projects/${project.name}/skills/${skill.name}/documents/${name}`;
        return reply({ status: 201, body: document, headers: { ETag, Location } });
      }).catch(async (error) => {
        await discardTexts(store, [text]);
        throw error;
      });
    },

    deleteDocument: ({ caller, params, headers, reply }) =>
      inProject(store, caller, params.project_name, async (tx, project) => {
        const skill = await findSkill(tx, project, params.skill_name);
        const { document_name: name } = params;
        const textId = await findTextId(tx, skill.id, name);
        if (textId === undefined) throw notFound(name, skill);
        await checkPreconditions(headers, [textId]);
        await removeDocument(tx, skill.id, name);
        return reply({ status: 204 });
      }),
  };
}

/**
 * Finds a skill that keeps documents.
 * @throws {ProblemError} if the project has no skill of this name or identifier, or it is of a type that keeps none
 */
export async function findDocumentSkill(store: Store, project: Project, nameOrId: string): Promise<FoundSkill> {
  const skill = await findSkill(store, project, nameOrId);
  if (DOCUMENT_TYPES.includes(skill.type)) return skill;
  const types = DOCUMENT_TYPES.join(' or ');
  throw problem(
    '/problems/unusable-skill',
    `A skill of the type "${skill.type}" keeps no documents; send them to one of the type ${types}.`,
    { errors: [{ pointer: '/path/skill_name', message: `must be a skill of the type ${types}` }] },
  );
}

function notFound(name: string, skill: FoundSkill): ProblemError {
  return problem(
    '/problems/document-not-found',
    `There is no document with the name "${name}" in the skill "${skill.name}".`,
  );
}

/** @throws {ProblemError} if the text of a document, or its absence, does not meet the conditions of a write */
async function checkText(store: Store, skillId: string, name: string, conditions: Conditions): Promise<void> {
  if (!isConditional(conditions)) return;
  const textId = await findTextId(store, skillId, name);
  await checkPreconditions(conditions, textId === undefined ? undefined : [textId]);
}

export type Document = components['schemas']['Document'];

/** A text that is stored, and that no document has yet. */
export interface StoredText {
  readonly textId: string;
  /** In UTF-8. */
  readonly bytes: number;
  readonly passages: number;
}

const COLUMNS = ['id', 'name', 'media_type', 'bytes', 'passages', 'created_at', 'updated_at'] as const;

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
const UPLOAD_MS = 10 * 60 * 1000;

/*
 * A text is stored as its passages, in parts, before a document takes it: a large text takes longer
 * than a transaction may. A text that its document no longer has is deleted part by part, by periodic
 * sweeps, and counts towards what its owner stores until then.
 */

export function listDocuments(store: Store, skillId: string, page: Page): Promise<Document[]> {
  const all = store.reads.selectFrom('documents').select(COLUMNS).where('skill_id', '=', skillId);
  return paginate(all, 'id', page).execute();
}

export async function readText(
  store: Store,
  skillId: string,
  name: string,
): Promise<{ textId: string; mediaType: Document['media_type']; pieces: readonly string[] } | undefined> {
  // One query, or a document that is replaced meanwhile would be half old and half new.
  const rows = await selectText(store, skillId, name)
    .leftJoin('passages', 'passages.text_id', 'document_texts.id')
    .select(['documents.media_type', 'document_texts.id', 'passages.content'])
    .orderBy('passages.number')
    .execute();
  const [first] = rows;
  const pieces = rows.map((row) => row.content ?? '');
  return first && { textId: first.id, mediaType: first.media_type, pieces };
}

async function findTextId(store: Store, skillId: string, name: string): Promise<string | undefined> {
  const text = await selectText(store, skillId, name).select('document_texts.id').executeTakeFirst();
  return text?.id;
}

/** Selects a document of a skill with its stored text. */
function selectText({ reads }: Store, skillId: string, name: string) {
  return reads
    .selectFrom('documents')
    .innerJoin('document_texts', 'document_texts.document_id', 'documents.id')
    .where('documents.skill_id', '=', skillId)
    .where('documents.name', '=', name);
}

/** Returns the texts of documents by their ids; skips those that do not exist. */
export async function readTexts({ reads }: Store, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await lookup(ids, (some) =>
    reads
      .selectFrom('document_texts')
      .leftJoin('passages', 'passages.text_id', 'document_texts.id')
      .select(['document_texts.document_id', 'passages.content'])
      .where('document_texts.document_id', 'in', some)
      .orderBy('passages.number')
      .execute(),
  );
  const texts = new Map<string, string>();
  for (const { document_id: id, content } of rows) {
    if (id !== null) texts.set(id, (texts.get(id) ?? '') + (content ?? ''));
  }
  return texts;
}

/** A text that is sent for a document of a skill. */
export interface SentText {
  readonly skillId: string;
  /** Its size in UTF-8. */
  readonly bytes: number;
  readonly passages: readonly PreparedPassage[];
}

/**
 * Stores texts for documents. Runs outside of transactions. One that no document takes within ten minutes is deleted.
 * @throws {ProblemError} if the owner would exceed the limit; then nothing is kept
 */
export async function storeTexts(store: Store, owner: string, sent: readonly SentText[]): Promise<StoredText[]> {
  const { now } = getDialect(store.work);
  const upload_until = sql<number>`${now} + cast(${UPLOAD_MS} as bigint)`;
  const rows = sent.map(({ bytes }) => {
    return { id: newResource().id, owner, bytes: bytes + ROW_BYTES, upload_until };
  });
  await inTransaction(store.work, async (db) => {
    for (const part of chunks(rows)) await db.insertInto('document_texts').values(part).execute();
    const held = rows.reduce((sum, { bytes }) => sum + bytes, 0);
    await adjustStored(db, owner, held, store.limits.stored);
  });
  const stored = sent.map(({ bytes, passages }, at) => {
    return { textId: rows[at]?.id ?? '', bytes, passages: passages.length };
  });
  try {
    const passages = sent.flatMap((text, at) =>
      text.passages.map((passage) => {
        return { ...passage, text_id: stored[at]?.textId ?? '', skillId: text.skillId };
      }),
    );
    for (let begin = 0; begin < passages.length; begin += ADDED_AT_ONCE) {
      await addPassages(store, passages.slice(begin, begin + ADDED_AT_ONCE));
      // SQLite writes in this thread: let other requests run first.
      await nextTurn();
    }
  } catch (error) {
    await discardTexts(store, stored);
    throw error;
  }
  return stored;
}

/** Stores one text, as `storeTexts` does. */
export async function storeText(
  store: Store,
  owner: string,
  skillId: string,
  text: Omit<SentText, 'skillId'>,
): Promise<StoredText> {
  const [stored] = await storeTexts(store, owner, [{ skillId, ...text }]);
  if (!stored) throw new Error('A text was not stored');
  return stored;
}

type TextPassage = PreparedPassage & { readonly text_id: string; readonly skillId: string };

function addPassages(store: Store, passages: readonly TextPassage[]): Promise<void> {
  return inTransaction(store.work, async (db) => {
    for (const part of chunks(passages)) {
      const ids = await db
        .insertInto('passages')
        .values(part.map(({ terms: _, skillId: __, ...passage }) => passage))
        .returning(['id', 'number', 'text_id'])
        .execute();
      const byPlace = new Map(part.map((passage) => [writePlace(passage), passage]));
      const stored = ids.flatMap(({ id, ...place }) => {
        const passage = byPlace.get(writePlace(place));
        return passage ? [{ id, skillId: passage.skillId, terms: passage.terms }] : [];
      });
      await addToIndex(db, stored);
    }
  });
}

function writePlace({ text_id, number }: { readonly text_id: string; readonly number: number }) {
  return `${text_id} ${number}`;
}

/** Releases those of some texts that no document has taken. */
export async function discardTexts(store: Store, texts: readonly StoredText[]): Promise<void> {
  for (const part of chunks(texts.map(({ textId }) => textId))) {
    await store.work
      .updateTable('document_texts')
      .set({ upload_until: 0 })
      .where('id', 'in', part)
      .where('document_id', 'is', null)
      .execute();
  }
}

/**
 * Creates a document, or replaces the one of this name. Runs within `Store.transaction`, with the project locked.
 * @returns the document, and whether it was created
 * @throws {ProblemError}
 * @throws {Error} if the text has been discarded
 */
export async function putDocument(
  { reads: db, limits }: Store,
  skill: { readonly id: string; readonly name: string },
  name: string,
  media_type: Document['media_type'],
  { textId, bytes, passages }: StoredText,
): Promise<{ document: Document; isNew: boolean }> {
  const { id: newId, created_at, updated_at } = newResource();
  const facts = { media_type, bytes, passages, updated_at };
  const replaced = await db
    .selectFrom('documents')
    .select(['id', 'created_at'])
    .where('skill_id', '=', skill.id)
    .where('name', '=', name)
    .executeTakeFirst();
  const id = replaced?.id ?? newId;
  if (replaced) {
    await db.updateTable('documents').set(facts).where('id', '=', id).execute();
    await db.updateTable('document_texts').set({ document_id: null }).where('document_id', '=', id).execute();
  } else {
    const { documents } = await db
      .selectFrom('documents')
      .select(({ fn }) => fn.countAll().as('documents'))
      .where('skill_id', '=', skill.id)
      .executeTakeFirstOrThrow();
    if (Number(documents) >= limits.resources) {
      throw problem(
        '/problems/limit-reached',
        `The skill "${skill.name}" already holds ${limits.resources} documents, the most that it may; delete some, or use another skill.`,
      );
    }
    const row = { id, skill_id: skill.id, name, ...facts, created_at };
    await db.insertInto('documents').values(row).execute();
  }
  const { numUpdatedRows } = await db
    .updateTable('document_texts')
    .set({ document_id: id, upload_until: 0 })
    .where('id', '=', textId)
    .where('document_id', 'is', null)
    .where('upload_until', '>', 0)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new Error('The text of a document has been discarded');
  const document = { id, name, ...facts, created_at: replaced?.created_at ?? created_at };
  return { document, isNew: !replaced };
}

/** Deletes a document; returns whether it existed. Runs within `Store.transaction`, with the project locked. */
export async function removeDocument(store: Store, skillId: string, name: string): Promise<boolean> {
  const { numDeletedRows } = await store.reads
    .deleteFrom('documents')
    .where('skill_id', '=', skillId)
    .where('name', '=', name)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Texts of documents. */
export const TEXTS = describeParts('document_texts', 'passages', {
  taker: 'document_id',
  whole: 'text_id',
  part: 'id',
  batch: DELETED_AT_ONCE,
});
