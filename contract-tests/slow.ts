import type { Reporter, TestModule } from 'vitest/node';
import { RECORDED } from './coverage/records.js';

const SLOW_MS = 5000;

/**
 * Names at the end of a run the tests of `npm test` that took long: they belong in `*.rest.test.ts`, if the machine had
 * nothing else to do. Fails no run, since a machine may be busy.
 */
export class Slow implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const slow = modules
      .filter(({ project }) => RECORDED[project.name] !== 'test:rest')
      .flatMap((module) => [...module.children.allTests()].map((test) => ({ module, test })))
      .map(({ module, test }) => ({ module, test, ms: test.diagnostic()?.duration ?? 0 }))
      .filter(({ ms }) => ms > SLOW_MS)
      .sort((one, other) => other.ms - one.ms);
    if (slow.length === 0) return;
    const lines = slow.map(
      ({ module, test, ms }) => `   ${(ms / 1000).toFixed(0)} s  ${module.relativeModuleId}: ${test.name}`,
    );
    process.stdout.write(` Tests of npm test that took more than ${SLOW_MS / 1000} s\n${lines.join('\n')}\n\n`);
  }
}
