import { table } from '../../testkit/markdown-table.js';

export class Tally {
  readonly #counts = new Map<string, Map<number, number>>();
  #requests = 0;

  get requests(): number {
    return this.#requests;
  }

  count(operationId: string, status: number): void {
    this.#requests += 1;
    const statuses = this.#counts.get(operationId) ?? new Map<number, number>();
    this.#counts.set(operationId, statuses.set(status, (statuses.get(status) ?? 0) + 1));
  }

  /** The number of answers of each status, by operation. */
  get counts(): ReadonlyMap<string, ReadonlyMap<number, number>> {
    return this.#counts;
  }

  /** Returns a Markdown table of operations, requests and statuses. */
  table(): string {
    const statuses = [
      ...new Set([...this.#counts.values()].flatMap((counts) => [...counts.keys()])),
    ];
    const columns = statuses.toSorted((one, other) => one - other);
    const rows = [...this.#counts].toSorted().map(([operation, counts]) => {
      const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
      return [operation, all, ...columns.map((status) => counts.get(status) ?? '')];
    });
    return table(['operation', 'requests', ...columns], rows);
  }
}
