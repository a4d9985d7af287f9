import type { Reporter, TestSpecification, Vitest } from 'vitest/node';
import { beginRecords, endRecords, RECORDED } from './records.js';

/** Records a complete run of the tests. A partial run says nothing about missing promises. */
export class RecordRun implements Reporter {
  #vitest: Vitest | undefined;
  #isRecorded = false;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  async onTestRunStart(specifications: readonly TestSpecification[]): Promise<void> {
    this.#isRecorded = await this.#isWhole(specifications);
    if (this.#isRecorded) beginRecords();
  }

  onTestRunEnd(): void {
    if (this.#isRecorded) endRecords();
  }

  async #isWhole(specifications: readonly TestSpecification[]): Promise<boolean> {
    const vitest = this.#vitest;
    if (vitest === undefined || vitest.config.testNamePattern !== undefined) return false;
    const projects = new Set(vitest.projects.map(({ name }) => name));
    const all = await vitest.globTestSpecifications();
    return RECORDED.every((name) => projects.has(name)) && specifications.length === all.length;
  }
}
