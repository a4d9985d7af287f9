import { parseChoices, parseGoal, parseMarks, parseValidation } from '../../models/training/goal.js';
import type { StoredTable } from '../../models/training/table-rows.js';
import { ingestQuery, refuseFull, type TrainingServices } from '../../models/training/train.js';
import { listFaults, ProblemError, unavailable } from '../../problems/problem.js';
import type { Project } from '../../projects/projects.js';
import { chunksBySize } from '../../store/rows.js';
import { discardTexts, type SentText, storeTexts } from '../documents/documents.js';
import { preparePassages } from '../documents/split-text.js';
import { trains } from './compare.js';
import type { EntryOf, SentEntry } from './entries.js';
import type { Plan } from './plan.js';
import type { Prepared, PreparedText } from './write-plan.js';

/** The time in which the rows of all models are read, in milliseconds: clients wait five minutes for an answer. */
const READING_MS = 4 * 60_000;

/**
 * Does what takes longer than a transaction may, before it: the texts of documents and the tables of trainings are in
 * the store then, and are taken by the transaction, or swept.
 */
export class Preparation implements Prepared {
  readonly texts = new Map<string, PreparedText>();
  readonly tables = new Map<string, StoredTable>();

  constructor(
    private readonly services: TrainingServices,
    private readonly owner: string,
  ) {}

  /**
   * @throws {ProblemError} with the place of the entry whose text or table is refused
   * @throws the reason of `signal`
   */
  async prepare({ project, changes, skillIds }: Plan, signal: AbortSignal): Promise<void> {
    const models: (EntryOf<'model'> & SentEntry)[] = [];
    const documents: EntryOf<'document'>[] = [];
    for (const change of changes) {
      const { action, entry } = change;
      if (action === 'delete') continue;
      if (entry.kind === 'document') documents.push(entry);
      if (entry.kind === 'model' && trains(change)) models.push(entry);
    }
    await this.#readTables(project, models, signal);
    await this.#storeTexts(documents, skillIds);
  }

  async #readTables(
    project: Project,
    models: readonly (EntryOf<'model'> & SentEntry)[],
    signal: AbortSignal,
  ): Promise<void> {
    if (models.length === 0) return;
    await refuseFull(this.services.store, project, this.owner);
    const late = new AbortController();
    const timeout = setTimeout(() => late.abort(tooLate()), READING_MS);
    try {
      const either = AbortSignal.any([signal, late.signal]);
      for (const model of models) await this.#readTable(model, either);
    } finally {
      clearTimeout(timeout);
    }
  }

  async #readTable({ key, fields, at }: EntryOf<'model'> & SentEntry, signal: AbortSignal): Promise<void> {
    const { target, source } = fields;
    const task = parseGoal(fields);
    const choices = parseChoices(fields);
    const read = { choices, marks: parseMarks(fields, choices), validation: parseValidation(fields) };
    const table = { target, task, ...read, source };
    try {
      this.tables.set(key, await ingestQuery(this.services, this.owner, table, signal));
    } catch (error) {
      if (!(error instanceof ProblemError) || listFaults(error.members).some(hasPointer)) throw error;
      const detail = `The model "${fields.name}" (${at}/model): ${error.detail}`;
      throw new ProblemError(error.type, detail, error.members, error.headers, { cause: error.cause });
    }
  }

  /** Stores texts, a few hundred KB at once. */
  async #storeTexts(documents: readonly EntryOf<'document'>[], skillIds: ReadonlyMap<string, string>): Promise<void> {
    const { store } = this.services;
    const sized = documents.map(({ key: id, fields }) => {
      return { id, fields, bytes: Buffer.byteLength(fields.text) };
    });
    for (const part of chunksBySize(sized)) {
      const sent: SentText[] = [];
      for (const { fields, bytes } of part) {
        const { skill, text, media_type } = fields;
        const passages = await preparePassages(text, media_type === 'text/markdown');
        sent.push({ skillId: skillIds.get(skill) ?? '', bytes, passages });
      }
      const stored = await storeTexts(store, this.owner, sent);
      for (const [at, text] of stored.entries()) {
        this.texts.set(part[at]?.id ?? '', { ...text, skillId: sent[at]?.skillId ?? '' });
      }
    }
  }

  /** Releases what no transaction has taken. */
  async discard(): Promise<void> {
    const { store, tables } = this.services;
    for (const { tableId } of this.tables.values()) await tables.discard(tableId);
    // If the store is unavailable, texts expire later.
    await discardTexts(store, [...this.texts.values()]).catch(() => {});
  }
}

function hasPointer({ pointer }: { readonly pointer?: string }): boolean {
  return pointer !== undefined;
}

function tooLate(): ProblemError {
  const detail = `The rows of the models were not read within ${READING_MS / 60_000} minutes; apply a manifest with fewer models, or with faster queries.`;
  return unavailable(detail, 5);
}
