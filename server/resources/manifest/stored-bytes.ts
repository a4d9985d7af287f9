import { sql } from 'kysely';
import { countSourceBytes } from '../../models/training/begin-training.js';
import { parseChoices } from '../../models/training/goal.js';
import { selectWaiting } from '../../models/training/training-claims.js';
import type { Store } from '../../store/index.js';
import { lookup } from '../../store/rows.js';
import { type Change, trains } from './compare.js';
import type { ProjectState } from './project-state.js';

/** The effect of changes on the limits of an owner, beyond the counters of the project. */
interface StoredChange {
  /** The bytes that new versions of models add before they are trained. */
  readonly added: number;
  /** The bytes of deleted models and conversations. */
  readonly released: number;
  readonly deletedModels: number;
  /** The trainings of deleted models that have not begun. */
  readonly waiting: number;
}

/** Counts the bytes, models and trainings that changes add and delete. */
export async function countStored(
  { reads }: Store,
  changes: readonly Change[],
  { models, chatbots }: ProjectState,
): Promise<StoredChange> {
  const modelIds: string[] = [];
  const chatbotIds: string[] = [];
  let added = 0;
  for (const change of changes) {
    const { action, entry } = change;
    const { name } = entry.fields;
    const id = entry.kind === 'model' ? models.get(name)?.id : chatbots.get(name)?.id;
    if (action === 'delete' && entry.kind === 'model' && id) modelIds.push(id);
    if (action === 'delete' && entry.kind === 'chatbot' && id) chatbotIds.push(id);
    if (entry.kind === 'model' && trains(change)) {
      added += countSourceBytes(entry.fields.source, parseChoices(entry.fields));
    }
  }
  const sumOf = async (
    table: 'model_versions' | 'promises' | 'conversations',
    column: string,
    ids: readonly string[],
  ) => {
    const rows = await lookup(ids, async (some) => {
      const { rows } = await sql<{ bytes: number | string }>`
        select coalesce(sum(bytes), 0) as bytes from ${sql.table(table)}
        where ${sql.ref(column)} in (${sql.join(some)})
      `.execute(reads);
      return rows;
    });
    return rows.reduce((sum, { bytes }) => sum + Number(bytes), 0);
  };
  const released = [
    await sumOf('model_versions', 'model_id', modelIds),
    await sumOf('promises', 'model_id', modelIds),
    await sumOf('conversations', 'chatbot_id', chatbotIds),
  ];
  const waiting = await lookup(modelIds, (some) =>
    selectWaiting(reads).select('models.id').where('models.id', 'in', some).execute(),
  );
  return {
    added,
    released: released.reduce((sum, bytes) => sum + bytes, 0),
    deletedModels: modelIds.length,
    waiting: waiting.length,
  };
}
