/** Tests of requests that go on while their model or their key changes. Against the server alone. */

import { beforeAll, describe, expect, inject, test } from 'vitest';
import { Store } from '../../../server/store/index.js';
import { revokeKey } from '../../../server/store/keys.js';
import { someDiamonds } from '../../../testkit/data/diamonds.js';
import { trainPrices } from '../../../testkit/service/train-prices.js';
import { makeKey } from '../../../testkit/store/keys.js';
import { ownStreams } from '../../own-streams.js';
import { ownProject, roster, send, sendAs, sendJson } from '../../target.js';

let path: { projectName: string; modelName: string };
let address: string;
beforeAll(async () => {
  path = { projectName: await ownProject(), modelName: 'prices' };
  address = `/api/projects/${path.projectName}/models/prices/predict`;
  await trainPrices(roster, path);
});

const open = ownStreams();

/** Creates a key, and returns it with a function that revokes it. */
async function shortLivedKey(): Promise<{ key: string; revoke: () => Promise<void> }> {
  const databaseUrl = `${inject('target').databaseUrl}`;
  const key = await makeKey(databaseUrl, { name: 'short-lived' });
  const revoke = async () => {
    const store = await Store.open(databaseUrl);
    await revokeKey(store, `${key.split('_')[1]}`);
    await store.close();
  };
  return { key, revoke };
}

describe('when its key is revoked', () => {
  test('a stream ends with a line that gives the reason', async () => {
    const { key, revoke } = await shortLivedKey();
    const stream = open(address, key);
    stream.write('{"carat":1}\n');
    expect(await stream.next()).toMatchObject({ carat: 1 });
    await revoke();
    expect(await stream.next()).toMatchObject({
      problem: { type: '/problems/unauthorized', detail: expect.stringContaining('revoked') },
    });
    expect(await stream.next()).toBeUndefined();
  });

  test('a table that is still being sent is refused, and nothing of it is stored', async () => {
    const { key, revoke } = await shortLivedKey();
    const model = address.replace('prices/predict', 'cut_short');
    let noteSent = () => {};
    const sent = new Promise<void>((resolve) => {
      noteSent = resolve;
    });
    const answer = sendAs(key, `${model}?target=price`, {
      method: 'PUT',
      headers: { 'Content-Type': 'text/csv' },
      // It does not end.
      body: new ReadableStream({
        start: (sender) => sender.enqueue(Buffer.from(someDiamonds(100))),
        pull: () => noteSent(),
      }),
      duplex: 'half',
    });
    // The upload is under way: requests that were sent after it have been answered.
    await sent;
    for (let times = 0; times < 2; times++) {
      expect((await sendAs(key, model)).status).toBe(404);
    }
    await revoke();
    const refused = await answer;
    expect(refused.status).toBe(401);
    expect(refused.headers.get('WWW-Authenticate')).toContain('invalid_token');
    expect(await refused.json()).toMatchObject({
      type: '/problems/unauthorized',
      detail: expect.stringContaining('while the request went on'),
    });
    expect((await send(model)).status).toBe(404);
  });
});

test('a stream is answered to its end by the model version that it began with', async () => {
  const stream = open(address);
  stream.write('{"carat":1}\n');
  const before = await stream.next();
  const doubled = someDiamonds(100).replace(/(\d+)(,[^,]*){3}$/gm, '1$&');
  await trainPrices(roster, path, doubled);
  stream.write('{"carat":1}\n');
  expect(await stream.next()).toEqual(before);
  const [after] = Object(await (await sendJson('POST', address, [{ carat: 1 }])).json());
  expect(after).not.toEqual(before);
  await roster.DELETE('/api/projects/{projectName}/models/{modelName}', { params: { path } });
  stream.write('{"carat":1}\n');
  expect(await stream.next()).toEqual(before);
});
