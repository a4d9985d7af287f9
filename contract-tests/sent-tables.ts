import { send } from './target.js';

/** Trains a model from a table whose target is y, and which is sent in pieces. */
export function sendTable(
  { projectName, modelName }: { projectName: string; modelName: string },
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

function* lines(count: number, line: (row: number) => string): Generator<string> {
  for (let row = 0; row < count; row += 1000) {
    const some = Array.from({ length: Math.min(1000, count - row) }, (_, index) =>
      line(row + index),
    );
    yield `${some.join('\n')}\n`;
  }
}

/** Yields a table as CSV, a thousand lines at once. */
export function* csv(
  header: string,
  count: number,
  line: (row: number) => string,
): Generator<string> {
  yield `${header}\n`;
  yield* lines(count, line);
}
