import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { send } from '../../testkit/http/client.js';
import {
  endProcess,
  isRunning,
  listTree,
  type Service,
  startService,
  treeMemory,
} from '../../testkit/service/measured-service.js';
import { makeKey } from '../../testkit/store/keys.js';
import { repeatedly } from '../load.js';
import type { Finding, Scenario } from '../scenarios.js';
import { withPostgres } from '../services.js';
import { type Attack, type RunAttack, Target } from './attacks.js';
import { type Bounds, servedFinding, Tenant, Watch } from './tenant.js';

const SECONDS = 10;
const SHORT_SECONDS = 3;
/** The time before the measurement, in which frequent code is compiled, in seconds. */
const WARM_UP_SECONDS = 1;
/** The longest that an attack goes on beyond its time until it got an answer that it expects, in milliseconds. */
const PATIENCE = 60_000;

/** Attacks by one owner or a few, while another is measured. */
export interface Family {
  readonly name: string;
  readonly bounds: Bounds;
  readonly attacks: readonly Attack[];
  /** Opens what the attacked service uses, such as databases. */
  readonly open?: () => Promise<Surroundings>;
  /**
   * True if each attack is hostile beyond doubt: none may get a 500, and the service must end in time in the
   * middle of it and leave no process. The short form then runs all of them in turn on one service.
   */
  readonly isHostile?: true;
}

export interface Surroundings {
  readonly settings: NodeJS.ProcessEnv;
  close(): Promise<void>;
}

/** Returns a scenario for each attack; of a hostile family, one more with all of them in turn. */
export function listScenarios(family: Family): Scenario[] {
  const { name, attacks, isHostile } = family;
  const single = attacks.map(
    (attack): Scenario => ({
      name: `${name}/${attack.name}`,
      hasShort: !isHostile,
      run: ({ folder, isShort }) =>
        play(folder, family, [attack], isShort ? SHORT_SECONDS : (attack.seconds ?? SECONDS)),
    }),
  );
  if (!isHostile) return single;
  const onSqlite = attacks.filter(({ store }) => store === undefined);
  const inTurn: Scenario = {
    name: `${name}/in-turn`,
    hasShort: true,
    run: ({ folder }) => play(folder, family, onSqlite, SHORT_SECONDS),
  };
  return [...single, inTurn];
}

async function play(folder: string, family: Family, attacks: readonly Attack[], seconds: number): Promise<Finding[]> {
  const surroundings = await family.open?.();
  try {
    const settings: NodeJS.ProcessEnv = Object.assign(
      { ...(family.isHostile && { DRAIN_SECONDS: String(DRAIN_SECONDS) }) },
      surroundings?.settings,
      ...attacks.map((attack) => attack.settings),
    );
    const attackOn = async (databaseUrl: string) => {
      const start = () => startService(folder, databaseUrl, settings);
      // Once a key exists, callers without a key are refused.
      const key = await makeKey(databaseUrl, { name: 'tenant', owner: 'tenant' });
      const target = new Target(await start(), databaseUrl, seconds);
      try {
        return await attackService(target, { family, attacks, key, start });
      } finally {
        await target.service.kill();
      }
    };
    return attacks.some(({ store }) => store === 'postgres')
      ? await withPostgres(attackOn)
      : await attackOn(`file:${join(folder, 'roster.db')}`);
  } finally {
    await surroundings?.close();
  }
}

interface Play {
  readonly family: Family;
  readonly attacks: readonly Attack[];
  readonly key: string;
  /** Starts another service on the same store. */
  readonly start: () => Promise<Service>;
}

async function attackService(target: Target, { family, attacks, key, start }: Play): Promise<Finding[]> {
  // The first request loads code, and a service that was never asked is not idle but new.
  await send('GET', `${target.url}/health/live`);
  const idle = treeMemory(target.service.pid);
  const tenant = await Tenant.settle(target.url, { Authorization: `Bearer ${key}` });
  try {
    const runs = new Map<Attack, RunAttack>();
    for (const attack of attacks) runs.set(attack, await attack.prepare(target));
    const findings = await measure(target, tenant, runs, { family, idle });
    if (!family.isHostile) return findings;
    return [...findings, ...(await endService(target, [...runs.values()], start))];
  } finally {
    tenant.close();
  }
}

/** @param idle the memory of the service before any work, in MiB */
async function measure(
  target: Target,
  tenant: Tenant,
  runs: ReadonlyMap<Attack, RunAttack>,
  { family: { bounds, isHostile }, idle }: { family: Family; idle: number },
): Promise<Finding[]> {
  const warmingUp = tenant.work();
  await delay(WARM_UP_SECONDS * 1000);
  await warmingUp();
  const memory = Math.max(bounds.memory, ...[...runs.keys()].map((attack) => attack.memory ?? 0));
  const watch = new Watch(target.service, { ...bounds, memory }, idle);
  const working = tenant.work();
  try {
    const more: Finding[] = [];
    for (const [attack, run] of runs) {
      watch.begin(attack.name);
      target.begin();
      more.push(...(await attackFor(target, attack, run)));
      if (attack.expects) more.push(target.expectedFinding(attack));
    }
    const served = servedFinding(await working());
    return [
      { ...served, measured: `${served.measured}. The attackers got ${target.answers}` },
      ...(await watch.stop()),
      ...(isHostile ? [answeredFinding(target)] : []),
      ...more,
    ];
  } finally {
    await working();
    watch.close();
  }
}

/** Runs an attack for its time, and until it got an answer that it expects. Returns its own findings. */
async function attackFor(target: Target, attack: Attack, run: RunAttack): Promise<readonly Finding[]> {
  const over = new AbortController();
  const attacking = run(over.signal);
  // The attack may fail before it is awaited.
  attacking.catch(() => {});
  await delay(target.seconds * 1000);
  const deadline = performance.now() + PATIENCE;
  while (!target.isExpected(attack) && performance.now() < deadline) await delay(100);
  over.abort();
  // Ends the attackers' wait for answers.
  target.close();
  return (await attacking) ?? [];
}

function answeredFinding(target: Target): Finding {
  const faults = target.times(500);
  return {
    asked: 'no attack is answered with 500',
    measured: `${faults} of ${target.answers}`,
    passed: faults === 0,
    mustHold: true,
  };
}

/** The time for which an attack goes on before the service is ended, in milliseconds. */
const ATTACKED = 4000;
/** The time for which the service still answers after SIGTERM, in seconds. */
const DRAIN_SECONDS = 1;
/** The time in which the service ends after SIGTERM, in milliseconds. */
const STOP = 10_000 + DRAIN_SECONDS * 1000;
/** The time after the end of the service in which its other processes end, in milliseconds. */
const LEFT = 2000;
/** The time after which a process on a machine of any speed does not end by itself, in milliseconds. */
const END_DEADLINE = 120_000;

/**
 * Ends the service in the middle of attacks, first with SIGTERM and then like a crash.
 * @param start starts another one on the same store
 */
async function endService(
  target: Target,
  runs: readonly RunAttack[],
  start: () => Promise<Service>,
): Promise<Finding[]> {
  if (target.service.exit() !== undefined) target.service = await start();
  let milliseconds = 0;
  const afterStop = await leftAfter('SIGTERM', target, runs, async (service) => {
    const begun = performance.now();
    const late = new AbortController();
    const deadline = delay(END_DEADLINE, undefined, { signal: late.signal });
    await Promise.race([service.stop(), deadline]);
    late.abort();
    milliseconds = performance.now() - begun;
  });
  const how = target.service.exit() ?? 'it was killed';
  await target.service.kill();
  const asked = `SIGTERM in the middle ends the service within ${STOP / 1000} s, ${DRAIN_SECONDS} s of drain included`;
  const stopped = endsWithin(asked, milliseconds, STOP, how);
  target.service = await start();
  const kill = (service: Service) => service.kill();
  return [stopped, afterStop, await leftAfter('kill -9 in the middle', target, runs, kill)];
}

/** Judges that something ended in time; on a slow machine it may take longer, but it must end. */
function endsWithin(asked: string, milliseconds: number, bound: number, how: string | number): Finding {
  const measured = `${(milliseconds / 1000).toFixed(1)} s, ${how}`;
  const finding = { asked, measured, passed: milliseconds <= bound };
  return milliseconds < END_DEADLINE ? finding : { ...finding, mustHold: true };
}

/** Ends the service in the middle of attacks, and judges that its other processes end with it. */
async function leftAfter(
  what: string,
  target: Target,
  runs: readonly RunAttack[],
  endOf: (service: Service) => Promise<void>,
): Promise<Finding> {
  const over = new AbortController();
  const attacking = Promise.allSettled(runs.map((run) => run(over.signal)));
  await delay(ATTACKED);
  const { service } = target;
  const looks = [listTree(service.pid)];
  const stopLooking = repeatedly(50, () => listTree(service.pid));
  await endOf(service);
  looks.push(...stopLooking());
  over.abort();
  target.close();
  await attacking;
  const seen = new Map(looks.flat().map((process) => [process.pid, process]));
  const ended = performance.now();
  const running = () => [...seen.values()].filter(isRunning);
  while (running().length > 0 && performance.now() - ended < END_DEADLINE) await delay(50);
  const milliseconds = performance.now() - ended;
  const left = running();
  // They may go on for half an hour.
  for (const process of left) endProcess(process);
  const [first] = left;
  const rest = first ? `${left.length} are left, the first: ${first.pid} ${first.command}` : 'none is left';
  const asked = `the last process ends within ${LEFT / 1000} s of ${what}`;
  return endsWithin(asked, milliseconds, LEFT, `${seen.size} processes, ${rest}`);
}
