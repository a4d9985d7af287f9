import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import type { Finding, Scenario } from '../scenarios.js';
import {
  compare,
  pricesPath,
  rateOf,
  ratio,
  requestOf,
  rowsASecond,
  withService,
} from './service.js';

const ROUNDS = 7;
const SECONDS = 3;
const CLIENTS = 2;
const AIM = 1.7;
const ASKED = `10,000-row JSON bodies of ${CLIENTS} clients: at least ${AIM} times the rows a second on two cores as on one`;

const run = promisify(execFile);

/** Two clients whose large bodies are answered on two cores or on one, in turn, by the same process. */
export const twoCores: Scenario = {
  name: 'two-cores',
  run: async (folder) => {
    if (availableParallelism() < 2) return leftOut('this machine has one core');
    if (!(await hasTaskset())) return leftOut('there is no taskset');
    return withService(folder, async (service) => {
      const request = requestOf(service.url, await pricesPath(service), 'json');
      const on = (cores: string) => async () => {
        await run('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, `${service.pid}`]);
        return rateOf({ service, request, connections: CLIENTS }, SECONDS);
      };
      const compared = await compare(on('0,1'), on('0'), ROUNDS);
      const times = ratio(compared, 'perSecond');
      return [
        {
          asked: ASKED,
          measured: `${times.toFixed(2)} times (median of ${ROUNDS} rounds): ${rowsASecond(compared.first)} against ${rowsASecond(compared.second)}`,
          passed: times >= AIM,
        },
      ];
    });
  },
};

function leftOut(reason: string): Finding[] {
  return [{ asked: ASKED, measured: `left out: ${reason}`, passed: undefined }];
}

async function hasTaskset(): Promise<boolean> {
  return run('taskset', ['--version']).then(
    () => true,
    () => false,
  );
}
