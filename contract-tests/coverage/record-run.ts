import type { Reporter, TestModule, TestRunEndReason, TestSpecification, Vitest } from 'vitest/node';
import { beginRecords, RECORDED } from './records.js';

/** Records the projects of which a run has all tests. A part of one says nothing about missing promises. */
export class RecordRun implements Reporter {
  #vitest: Vitest | undefined;
  #end: (() => void) | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  async onTestRunStart(specifications: readonly TestSpecification[]): Promise<void> {
    const vitest = this.#vitest;
    if (vitest === undefined || vitest.config.testNamePattern !== undefined) return;
    const all = await vitest.globTestSpecifications();
    const count = (list: readonly TestSpecification[], name: string) =>
      list.filter(({ project }) => project.name === name).length;
    const whole = Object.keys(RECORDED).filter((name) => {
      const files = count(all, name);
      return files > 0 && count(specifications, name) === files;
    });
    if (whole.length > 0) this.#end = beginRecords(whole);
  }

  onTestRunEnd(_modules: readonly TestModule[], _errors: readonly unknown[], reason: TestRunEndReason): void {
    if (reason !== 'interrupted') this.#end?.();
  }
}
