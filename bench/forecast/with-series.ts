import type { Finding, Scenario } from '../scenarios.js';
import { type HeldOut, readSeries } from './judge.js';

/** Returns a scenario that runs if a folder of series is named, and has the files. */
export function withSeries(
  name: string,
  files: readonly string[],
  run: (sets: readonly HeldOut[]) => Finding[] | Promise<Finding[]>,
): Scenario {
  return {
    name,
    run: async ({ data }) => {
      if (data === undefined) return [leftOut('no folder is named by --data')];
      const sets: HeldOut[] = [];
      for (const file of files) {
        try {
          sets.push(...(await readSeries(data, file)));
        } catch (error) {
          if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
          return [leftOut(`the folder has no ${file}.jsonl`)];
        }
      }
      return run(sets);
    },
  };
}

export function leftOut(reason: string): Finding {
  return { asked: 'runs', measured: `left out: ${reason}` };
}
