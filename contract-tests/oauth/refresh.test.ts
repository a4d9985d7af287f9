/** Refreshes: several at once, those around a restart, and those of a thief. */
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer } from '../../testkit/service/server-process.js';
import { makeKey } from '../../testkit/store/keys.js';
import { ISSUER, OauthService, type Tokens } from './oauth-service.js';

const MINUTE = 60_000;
/** Later than any moment of a test: a refresh token that was made then is new, however slow the machine is. */
const LATER = 60 * MINUTE;

let oauth: OauthService;
let client: string;
beforeAll(async () => {
  oauth = await OauthService.open();
  await holdMoments(oauth);
  client = (await oauth.register()).body.client_id;
});
afterAll(() => oauth.close());

/** Lets each refresh token that is made be new for the whole test. */
async function holdMoments(service: OauthService): Promise<void> {
  await service.onStore(({ work }) =>
    sql`
      create trigger "made_later" after update of "refresh_hash" on "oauth_grants" begin
        update "oauth_grants" set "refresh_since" = "refresh_since" + ${sql.lit(LATER)} where "id" = new."id";
      end
    `.execute(work),
  );
}

const statusOf = async (token: string) => (await oauth.tools(token)).status;
const expectEnd = (token: string) => expect.poll(() => statusOf(token), { interval: 100 }).toBe(401);

/** Goes to tokens whose refresh token is old enough to get a successor. */
async function connect(): Promise<Tokens> {
  const tokens = await oauth.connect(client);
  await oauth.ageRefreshTokens(MINUTE);
  return tokens;
}

const pairOf = ({ tokens }: { readonly tokens: Tokens }) => [tokens.access_token, tokens.refresh_token];

describe('a refresh token', () => {
  test.each([1, 2, 3, 5, 8, 10])('that %i calls use at once gives all of them the same new tokens', async (count) => {
    const first = await connect();
    const all = await Promise.all(Array.from({ length: count }, () => oauth.refresh(client, first.refresh_token)));
    for (const { status, tokens } of all) {
      expect([status, tokens.scope]).toEqual([200, first.scope]);
      expect(tokens.expires_in).toBeGreaterThan(0);
    }
    const pairs = new Set(all.map((one) => pairOf(one).join()));
    expect(pairs.size).toBe(1);
    const { tokens } = all[0] ?? { tokens: first };
    expect(tokens.refresh_token).not.toBe(first.refresh_token);
    // The one before lives out its time.
    expect([await statusOf(tokens.access_token), await statusOf(first.access_token)]).toEqual([200, 200]);
  });

  test('stays the same at first, so that a late answer overwrites nothing newer', async () => {
    const first = await connect();
    const next = await oauth.refresh(client, first.refresh_token);
    const again = await oauth.refresh(client, next.tokens.refresh_token);
    const late = await oauth.refresh(client, first.refresh_token);
    expect([pairOf(again), pairOf(late)]).toEqual([pairOf(next), pairOf(next)]);
    await oauth.ageRefreshTokens(MINUTE);
    expect((await oauth.refresh(client, late.tokens.refresh_token)).status).toBe(200);
  });

  test('ends its consent when it is used again later', async () => {
    const first = await connect();
    const second = (await oauth.refresh(client, first.refresh_token)).tokens;
    expect(await statusOf(second.access_token)).toBe(200);
    const another = (await oauth.register()).body.client_id;
    await oauth.ageRefreshTokens(11_000);
    expect((await oauth.refresh(another, first.refresh_token)).error).toBe('invalid_grant');
    expect((await oauth.refresh(client, first.refresh_token)).error).toBe('invalid_grant');
    await expectEnd(second.access_token);
    await expectEnd(first.access_token);
    expect((await oauth.refresh(client, second.refresh_token)).error).toBe('invalid_grant');
  });

  test('ends its consent when it is the one before the last, however new that is', async () => {
    const first = await connect();
    const second = (await oauth.refresh(client, first.refresh_token)).tokens;
    await oauth.ageRefreshTokens(MINUTE);
    const third = (await oauth.refresh(client, second.refresh_token)).tokens;
    expect((await oauth.refresh(client, first.refresh_token)).error).toBe('invalid_grant');
    await expectEnd(third.access_token);
  });

  // Other systems have one address of the loopback interface.
  test.skipIf(process.platform !== 'linux')('ends its consent when two addresses use it a minute apart', async () => {
    const first = await connect();
    const form = { grant_type: 'refresh_token', refresh_token: first.refresh_token, client_id: client };
    const from = (localAddress: string) => sendForm(`${oauth.url}/oauth/token`, localAddress, form);
    const owner = await from('127.0.0.1');
    await oauth.ageRefreshTokens(MINUTE);
    const thief = await from('127.0.0.2');
    expect([owner.status, thief.status, thief.body.error]).toEqual([200, 400, 'invalid_grant']);
    await expectEnd(owner.body.access_token);
  });

  test('narrows the access token alone', async () => {
    const { refresh_token } = await connect();
    const narrow = (await oauth.refresh(client, refresh_token, { scope: 'read' })).tokens;
    const beside = (await oauth.refresh(client, refresh_token, { scope: 'ask read' })).tokens;
    const all = (await oauth.refresh(client, narrow.refresh_token)).tokens;
    expect([narrow.scope, beside.scope, all.scope]).toEqual(['read', 'read ask', 'read predict ask']);
    const predict = { name: 'predict_nothing', arguments: {} };
    for (const [tokens, status] of [
      [narrow, 403],
      [beside, 403],
      [all, 200],
    ] as const) {
      expect(tokens.refresh_token).toBe(narrow.refresh_token);
      expect((await oauth.ask(tokens.access_token, 'tools/call', predict)).status).toBe(status);
    }
  });

  test('ends with each access token of its consent that is revoked', async () => {
    const first = await connect();
    const second = (await oauth.refresh(client, first.refresh_token)).tokens;
    expect((await oauth.post('/oauth/revoke', { token: first.access_token, client_id: client })).status).toBe(200);
    await expectEnd(second.access_token);
    expect((await oauth.refresh(client, second.refresh_token)).error).toBe('invalid_grant');
  });

  test('of the release before has successors, too', async () => {
    const first = await connect();
    await oauth.onStore(({ work }) =>
      work.updateTable('oauth_grants').set({ refresh_seed: null, refresh_since: null }).execute(),
    );
    const [one, other] = await Promise.all([
      oauth.refresh(client, first.refresh_token),
      oauth.refresh(client, first.refresh_token),
    ]);
    expect([one.status, pairOf(one)]).toEqual([200, pairOf(other)]);
    expect(await statusOf(first.access_token)).toBe(200);
  });
});

test('a service that was killed and started again gives the same new tokens', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'roster-refresh-'));
  const databaseFile = join(folder, 'roster.db');
  const databaseUrl = `file:${databaseFile}`;
  const key = await makeKey(databaseUrl, { name: 'own' });
  const start = () => startServer({ databaseFile, env: { PUBLIC_URL: ISSUER } });
  const killed = await start();
  const before = OauthService.on(killed, databaseUrl, key, ISSUER);
  await holdMoments(before);
  const own = (await before.register()).body.client_id;
  const first = await before.connect(own);
  await before.ageRefreshTokens(MINUTE);
  // The client never got the answer.
  const lost = await before.refresh(own, first.refresh_token);
  await killed.kill();
  const started = await start();
  try {
    const after = OauthService.on(started, databaseUrl, key, ISSUER);
    const again = await after.refresh(own, first.refresh_token);
    expect(pairOf(again)).toEqual(pairOf(lost));
    expect((await after.tools(again.tokens.access_token)).status).toBe(200);
  } finally {
    await started.kill();
    await rm(folder, { recursive: true, force: true });
  }
});

/** Sends a form from an address of this machine. */
async function sendForm(url: string, localAddress: string, form: Readonly<Record<string, string>>) {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  return new Promise<{ status: number | undefined; body: { access_token: string; error?: string } }>(
    (resolve, reject) => {
      request(url, { method: 'POST', headers, localAddress }, (answer) => {
        text(answer).then((body) => resolve({ status: answer.statusCode, body: JSON.parse(body) }), reject);
      })
        .on('error', reject)
        .end(new URLSearchParams(form).toString());
    },
  );
}
