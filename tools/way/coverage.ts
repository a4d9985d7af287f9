import { Session } from 'node:inspector/promises';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';

/** The functions of a compiled file that were called. */
export interface CoveredFile {
  /** Relative to the root of the project, such as `dist/server/app.js`. */
  readonly file: string;
  readonly functions: readonly CoveredFunction[];
}

export interface CoveredFunction {
  /** Empty for a function without a name. */
  readonly name: string;
  /** Where it begins in the compiled file, in characters. */
  readonly offset: number;
  readonly count: number;
}

/**
 * Preloaded into the service. Replies to `functions` with the project's own functions that were called on the main
 * thread since the last such message, as JSON: a list of `CoveredFile`.
 */
const ROOT = new URL('../../../', import.meta.url).href;
const OWN = /^(dist\/(contract|server)|prediction\/dist)\//;

/**
 * Time in which requests end after their answers: they are logged and counted. Turns of the event loop too, since time
 * passes for a process that does not run.
 */
const AFTERMATH = { ms: 20, turns: 10 };

// Worker threads load this module as well.
if (isMainThread) await watch();

async function watch(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

  process.on('message', async (question) => {
    if (question !== 'functions') return;
    await pause(AFTERMATH.ms);
    for (let turn = 0; turn < AFTERMATH.turns; turn++) await nextTurn();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const own = result.flatMap(({ url, functions }): CoveredFile[] => {
      const file = url.startsWith(ROOT) ? url.slice(ROOT.length) : '';
      if (!OWN.test(file)) return [];
      // The first range is that of the whole function.
      const called = functions.flatMap(({ functionName: name, ranges: [whole] }) =>
        whole && whole.count > 0 ? { name, offset: whole.startOffset, count: whole.count } : [],
      );
      return called.length === 0 ? [] : [{ file, functions: called }];
    });
    process.send?.(JSON.stringify(own));
  });
  // Does not keep the service from exiting.
  process.channel?.unref();
}
