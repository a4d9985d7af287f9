import type { Model } from 'roster-client';
import { settled } from '../testkit/service/train-prices.js';
import { roster, send } from './target.js';

interface ModelPath {
  projectName: string;
  modelName: string;
}

/** Rows, or the text of a CSV. */
type Table = string | Record<string, unknown>[];

/** Sends a table as a whole. */
export function putTable(path: ModelPath, body: Table, target = 'price') {
  const headers = typeof body === 'string' ? { 'Content-Type': 'text/csv' } : {};
  return roster.PUT('/api/projects/{projectName}/models/{modelName}', {
    params: { path, query: { target, ...effortOf({}) } },
    body,
    headers,
  });
}

/** Sends a table as a whole, and returns the model once its training has ended. */
export async function trainTable(path: ModelPath, body: Table, target?: string): Promise<Model> {
  const { data, error } = await putTable(path, body, target);
  if (error !== undefined) throw new Error(JSON.stringify(error));
  return settled(roster, path, data);
}

/** Returns a CSV with enough lines to train from. */
export function hundredLines(header: string, line: (row: number) => string): string {
  return [header, ...Array.from({ length: 100 }, (_, row) => line(row))].join('\n');
}

/** Trains a model from a table whose target is y, and which is sent in pieces. */
export function sendTable(
  { projectName, modelName }: ModelPath,
  type: 'text/csv' | 'application/json',
  pieces: Iterable<string>,
): Promise<Response> {
  const texts = pieces[Symbol.iterator]();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value } = texts.next();
      if (done) controller.close();
      else controller.enqueue(new TextEncoder().encode(value));
    },
  });
  return send(`/api/projects/${projectName}/models/${modelName}?target=y`, {
    method: 'PUT',
    duplex: 'half',
    headers: { 'Content-Type': type },
    body,
  });
}

/** Yields a table as CSV, a thousand lines at once. */
export function* csv(header: string, count: number, line: (row: number) => string): Generator<string> {
  yield `${header}\n`;
  for (let row = 0; row < count; row += 1000) {
    const length = Math.min(1000, count - row);
    yield `${Array.from({ length }, (_, index) => line(row + index)).join('\n')}\n`;
  }
}

/** Returns the least effort that a training may have whose accuracy is not the subject; a forecast has no choice. */
export function effortOf(query: { readonly order_by?: unknown }): { effort?: 'fast' } {
  return query.order_by === undefined ? { effort: 'fast' } : {};
}
