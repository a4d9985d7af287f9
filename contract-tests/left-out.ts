import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** Lists in the last lines of a run the tests that were left out, and why. */
export class LeftOut implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    // With a pattern, all others are left out, which is what was asked for.
    if (this.#vitest?.config.testNamePattern !== undefined) return;
    const reasons = new Map<string, number>();
    for (const result of modules.flatMap(listResults)) {
      if (result.state !== 'skipped') continue;
      const reason = result.note ?? 'not for this platform';
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    }
    if (reasons.size === 0) return;
    const lines = [...reasons].map(([reason, tests]) => `   ${tests} × ${reason}`);
    process.stdout.write(` Tests that were left out\n${lines.join('\n')}\n\n`);
  }
}

function listResults(module: TestModule) {
  return [...module.children.allTests()].map((test) => test.result());
}
