import { setTimeout as delay } from 'node:timers/promises';
import {
  endProcess,
  isRunning,
  type ProcessId,
  type Service,
  treeOf,
} from '../../../testkit/service/measured-service.js';
import { type Finding, none } from '../../scenario/scenario.js';
import type { RunAttack, Target } from './attack.js';

/** The time for which an attack goes on before the service is ended, in milliseconds. */
const ATTACKED = 4000;
/** The time for which the service still answers after SIGTERM, in seconds. */
export const DRAIN_SECONDS = 1;
/** The time in which the service ends after SIGTERM, in milliseconds. */
const STOP = 10_000 + DRAIN_SECONDS * 1000;
/** The time after which a service that does not end is killed, in milliseconds. */
const STOP_DEADLINE = 30_000;
/** The time after the end of the service in which its other processes end, in milliseconds. */
const LEFT = 2000;

/**
 * Ends the service in the middle of attacks, first with SIGTERM and then like a crash.
 * @param start starts another one on the same store
 */
export async function endService(
  target: Target,
  runs: readonly RunAttack[],
  start: () => Promise<Service>,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  if (target.service.exit() !== undefined) target.service = await start();
  const stopped = await end(target, runs, stop);
  findings.push(
    {
      asked: `SIGTERM in the middle ends the service within ${STOP / 1000} s, ${DRAIN_SECONDS} s of drain included`,
      measured: stopped.words,
      passed: stopped.milliseconds <= STOP,
    },
    noneLeft('SIGTERM', stopped),
  );
  target.service = await start();
  findings.push(noneLeft('kill -9 in the middle', await end(target, runs, kill)));
  return findings;
}

/** How a service ended. */
interface End {
  readonly milliseconds: number;
  readonly words: string;
  /** The processes that were left, and the number of all that there were. */
  readonly left: readonly ProcessId[];
  readonly all: number;
}

async function end(
  target: Target,
  runs: readonly RunAttack[],
  how: (service: Service) => Promise<string>,
): Promise<End> {
  const over = new AbortController();
  const attacking = Promise.allSettled(runs.map((run) => run(over.signal)));
  await delay(ATTACKED);
  const { service } = target;
  const seen = new Map<number, ProcessId>();
  const look = () => {
    for (const process of treeOf(service.pid)) seen.set(process.pid, process);
  };
  look();
  const looking = setInterval(look, 50);
  const begun = performance.now();
  const words = await how(service);
  const milliseconds = performance.now() - begun;
  clearInterval(looking);
  over.abort();
  target.close();
  await attacking;
  await delay(LEFT);
  const left = [...seen.values()].filter(isRunning);
  // They may go on for half an hour.
  for (const process of left) endProcess(process);
  return { milliseconds, words, left, all: seen.size };
}

async function stop(service: Service): Promise<string> {
  const begun = performance.now();
  const stopped = service.stop();
  const late = new AbortController();
  const isStopped = await Promise.race([
    stopped.then(() => true),
    delay(STOP_DEADLINE, false, { signal: late.signal }),
  ]);
  late.abort();
  if (!isStopped) await service.kill();
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  return isStopped ? `${seconds} s, ${service.exit()}` : `not in ${seconds} s`;
}

async function kill(service: Service): Promise<string> {
  await service.kill();
  return 'killed';
}

function noneLeft(after: string, { left, all }: End): Finding {
  const names = left.map(({ pid, command }) => `${pid} ${command}`);
  return none(`no process is left ${LEFT / 1000} s after ${after}`, names, `${all} processes`);
}
