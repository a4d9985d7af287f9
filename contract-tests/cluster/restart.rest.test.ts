/** Tests of the data that is kept when the process exits, and when it is killed. */
import { createRosterClient } from 'roster-client';
import { describe, expect, test } from 'vitest';
import { longTable } from '../../testkit/data/diamonds.js';
import { ownServers } from '../../testkit/service/own-servers.js';
import { predictionText, train, untilLogged, untilTrained } from '../../testkit/service/price-model.js';
import type { ServerProcess } from '../../testkit/service/server-process.js';

const { start } = ownServers();

describe('a restart', () => {
  test("keeps every resource, and the model's predictions to the last bit", async () => {
    const before = await start();
    const roster = createRosterClient({ baseUrl: before.url });
    const params = { path: { project_name: 'default' } };
    await roster.POST('/projects', { body: { project: { name: 'second' } } });
    await roster.POST('/projects/{project_name}/skills', {
      params,
      body: { skill: { name: 'lookup', type: 'lookup', params: { deep: { list: [1, null, 'ä'] } } } },
    });
    await roster.POST('/projects/{project_name}/agents', {
      params,
      body: { agent: { name: 'analyst', skills: ['lookup'], settings: { temperature: 0.1 } } },
    });
    await roster.POST('/projects/{project_name}/chatbots', {
      params,
      body: { chatbot: { name: 'desk', agent_name: 'analyst' } },
    });
    await train(before);
    await untilTrained(before);
    const kept = await everything(before);
    const predictions = await predictionText(before);
    expect(await before.stop()).toBe(0);

    const after = await start();
    expect(await everything(after)).toEqual(kept);
    expect(await predictionText(after)).toBe(predictions);
  });

  async function everything({ url }: ServerProcess): Promise<unknown[]> {
    const addresses = [
      '/projects',
      '/projects/default/skills',
      '/projects/default/agents',
      '/projects/default/chatbots',
      '/api/projects/default/models',
    ];
    const lists = await Promise.all(addresses.map(async (address) => (await fetch(url + address)).json()));
    expect(lists).toMatchObject([[{}, {}], [{}], [{}], [{}], [{}]]);
    return lists;
  }
});

describe('a crash', () => {
  test('during a training loses neither the table nor the previous version', async () => {
    const before = await start();
    await train(before);
    await untilTrained(before);
    const predictions = await predictionText(before);
    const { data } = await train(before, longTable);
    expect(data).toMatchObject({ status: 'training', version: 2, serving_version: 1 });
    await before.kill();

    const after = await start();
    expect(await predictionText(after)).toBe(predictions);
    expect(await untilTrained(after)).toMatchObject({ status: 'ready', serving_version: 2 });
  });

  test('on every attempt ends the training as failed, with the reason', async () => {
    let server = await start();
    await train(server, longTable);
    for (let crashes = 0; crashes < 3; crashes++) {
      await untilLogged(server, '"msg":"training"');
      await server.kill();
      server = await start();
    }
    const after = await untilTrained(server);
    expect(after?.status).toBe('failed');
    expect(after?.failure).toContain('cut short 3 times');
  });
});
