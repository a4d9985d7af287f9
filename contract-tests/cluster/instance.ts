/** An instance of the service, for tests of several instances. */
import { setTimeout as pause } from 'node:timers/promises';
import { answered, createRosterClient, type Model, type RosterClient } from 'roster-client';
import { expect } from 'vitest';
import { type ServerOptions, type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { putPrices } from '../../testkit/service/train-prices.js';
import { checkedFetch } from '../checked-fetch.js';

export interface Instance extends ServerProcess {
  /** The typed client of this instance. Checks each answer against the contract. */
  roster: RosterClient;
}

/** Starts two instances at the same time, on the same store. */
export async function startTwo(options: ServerOptions): Promise<[Instance, Instance]> {
  const [one, other] = [startInstance(options), startInstance(options)];
  try {
    return await Promise.all([one, other]);
  } catch (error) {
    const started = await Promise.allSettled([one, other]);
    await Promise.all(started.map((start) => start.status === 'fulfilled' && start.value.kill()));
    throw error;
  }
}

export async function startInstance(options: ServerOptions): Promise<Instance> {
  const server = await startServer(options);
  return { ...server, roster: createRosterClient({ baseUrl: server.url, fetch: checkedFetch }) };
}

/** Starts training a model of prices from CSV on an instance. */
export async function beginTraining(
  { roster }: Instance,
  path: { projectName: string; modelName: string },
  table: string,
): Promise<Model> {
  return answered(putPrices(roster, path, table));
}

/** Returns the lines of an instance's log with a message about a model. */
function logged({ log }: Instance, message: string, modelName: string): Record<string, unknown>[] {
  return log
    .filter((line) => line.startsWith('{'))
    .map((line): Record<string, unknown> => JSON.parse(line))
    .filter(({ msg, model }) => msg === message && model === modelName);
}

/** Waits until instances have logged messages about a model: a log comes through a pipe, later than the answer. */
export async function expectLogged(
  instances: readonly Instance[],
  message: string,
  modelName: string,
  expected: readonly object[],
): Promise<void> {
  const lines = () => instances.flatMap((instance) => logged(instance, message, modelName));
  await expect.poll(lines).toMatchObject(expected);
}

/** Waits until one of the instances has logged a message about a model. Returns that instance first. */
export async function firstToLog(
  [one, other]: [Instance, Instance],
  message: string,
  modelName: string,
): Promise<[Instance, Instance]> {
  for (;;) {
    if (logged(one, message, modelName).length > 0) return [one, other];
    if (logged(other, message, modelName).length > 0) return [other, one];
    await pause(20);
  }
}

/** Polls the readiness of an instance until it answers with a status. Returns that answer. */
export async function untilReadiness({ roster }: Instance, status: number) {
  for (;;) {
    const answer = await roster.GET('/health/ready');
    if (answer.response.status === status) return answer;
    await pause(50);
  }
}
