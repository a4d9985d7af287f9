import type { Reporter, TestModule } from 'vitest/node';

/** The targets on which the same tests run. */
const TARGETS = ['mock', 'server', 'postgres'];

const NEEDS_STATE = 'takes a state, and the mock keeps nothing';

/** The folders of the suite, with the targets on which they do not run, and the reason. */
const FOLDERS: { folder: string; except: Record<string, string> }[] = [
  { folder: 'contract-tests/conformance/', except: {} },
  { folder: 'contract-tests/behaviour/', except: { mock: NEEDS_STATE } },
  ...['formats', 'http', 'predictions'].map((folder) => ({
    folder: `contract-tests/${folder}/`,
    except: { mock: NEEDS_STATE, postgres: 'is the same whatever the store' },
  })),
];

interface Tally {
  passed: number;
  failed: number;
  /** The reasons, with the number of cases that were skipped for each. */
  skipped: Map<string, number>;
}

/**
 * Reports at the end of a run the results of the same suite on each target, and the skipped cases with their
 * reasons.
 */
export class Parity implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const suite = FOLDERS.flatMap(({ folder, except }) => {
      const inFolder = modules.filter(
        ({ moduleId, project }) => moduleId.includes(`/${folder}`) && TARGETS.includes(project.name),
      );
      return { except, inFolder };
    });
    const lines = TARGETS.map((target) => [target, tally(target, suite)] as const)
      .filter(([, { passed, failed }]) => passed + failed > 0)
      .flatMap(([target, counted]) => inWords(target, counted));
    if (lines.length === 0) return;
    process.stdout.write(`\n The same promises on each target\n${lines.join('\n')}\n\n`);
  }
}

function tally(
  target: string,
  suite: readonly { except: Record<string, string>; inFolder: readonly TestModule[] }[],
): Tally {
  const counted: Tally = { passed: 0, failed: 0, skipped: new Map() };
  const skip = (reason: string, cases = 1) => counted.skipped.set(reason, (counted.skipped.get(reason) ?? 0) + cases);
  for (const { except, inFolder } of suite) {
    const reason = except[target];
    if (reason !== undefined) {
      const played = TARGETS.map((other) => listCases(inFolder, other).length);
      if (Math.max(...played) > 0) skip(reason, Math.max(...played));
    }
    for (const result of listCases(inFolder, target)) {
      if (result.state === 'passed') counted.passed += 1;
      else if (result.state === 'skipped') skip(result.note ?? 'no reason was given');
      else counted.failed += 1;
    }
  }
  return counted;
}

function listCases(modules: readonly TestModule[], target: string) {
  return modules
    .filter(({ project }) => project.name === target)
    .flatMap((module) => [...module.children.allTests()].map((test) => test.result()));
}

function inWords(target: string, { passed, failed, skipped }: Tally): string[] {
  const sum = [...skipped.values()].reduce((total, cases) => total + cases, 0);
  const reasons = [...skipped].map(([reason, cases]) => `            ${cases} × ${reason}`);
  return [`   ${target.padEnd(8)} ${passed} passed, ${failed} failed, ${sum} not played`, ...reasons];
}
