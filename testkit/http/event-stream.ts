/**
 * Parses server-sent events as existing clients do: each line that begins with `data:` must be JSON,
 * comments and blank lines are skipped, and nothing else may come.
 * @throws if a line is of another kind, or a value is not JSON
 */
export function eventsIn<T>(body: string): T[] {
  return body.split('\n').flatMap((line): T[] => {
    if (line === '' || line.startsWith(':')) return [];
    if (!line.startsWith('data: ')) throw new Error(`This line is no event: ${line.slice(0, 200)}`);
    return [JSON.parse(line.slice('data: '.length))];
  });
}
