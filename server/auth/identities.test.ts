import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { AUDIENCE, type Claims, OidcIssuer } from '../../testkit/oidc-issuer.js';
import { stopClock } from '../../testkit/stopped-clock.js';
import { Identities, type OidcConfig } from './identities.js';

let issuer: OidcIssuer;
beforeAll(async () => {
  issuer = await OidcIssuer.open();
});
afterAll(() => issuer.stop());

let begun: string[];
beforeEach(() => {
  begun = [];
});

function identitiesWith(config: Partial<OidcConfig> = {}, log = pino({ level: 'silent' })) {
  const usual: OidcConfig = {
    issuer: issuer.url,
    audiences: [AUDIENCE],
    ownerClaim: 'sub',
    ownerPrefix: '',
    scopesClaim: 'scope',
    scopes: new Map([['*', ['read']]]),
    limits: new Map(),
    client: undefined,
  };
  const begin = async (owner: string) => void begun.push(owner);
  return new Identities({ ...usual, ...config }, begin, log);
}

async function tell(config: Partial<OidcConfig>, claims: Claims) {
  return identitiesWith(config).authenticate(await issuer.token(claims, { alg: 'ES256' }));
}

describe('the owner', () => {
  test.each<[string, Claims]>([
    ['team', { team: 'shop' }],
    ['https://acme.example/team.name', { 'https://acme.example/team.name': 'shop' }],
    ['acme.team', { acme: { team: 'shop' } }],
    ['email', { email: 'shop', email_verified: true }],
  ])('is read from the claim %s', async (ownerClaim, claims) => {
    expect(await tell({ ownerClaim }, claims)).toMatchObject({ owner: 'shop', scopes: ['read'] });
  });

  test('has a prefix, so that it is none that has keys', async () => {
    const config = { ownerClaim: 'team', ownerPrefix: 'acme:' };
    expect(await tell(config, { team: 'local' })).toMatchObject({ owner: 'acme:local' });
  });

  test.each<[string, Claims, RegExp]>([
    ['team', {}, /claim "team" .* is missing; .*OIDC_OWNER_CLAIM/],
    ['team', { team: ['shop'] }, /not a text/],
    ['team', { team: 42 }, /not a text/],
    ['team', { team: null }, /not a text/],
    ['team', { team: '' }, /1 to 100 visible characters/],
    ['team', { team: 'x'.repeat(101) }, /1 to 100 visible characters/],
    ['team.constructor.name', { team: {} }, /is missing/],
    ['email', { email: 'shop', email_verified: false }, /not verified/],
  ])('is refused from the claim %s of %j', async (ownerClaim, claims, reason) => {
    await expect(tell({ ownerClaim }, claims)).rejects.toThrow(reason);
    expect(begun).toEqual([]);
  });

  test('begins once, and with the next token if the store could not', async () => {
    const lines: string[] = [];
    const identities = identitiesWith({}, pino({}, { write: (line) => lines.push(line) }));
    for (const jti of ['1', '2']) await identities.authenticate(await issuer.token({ jti }));
    expect(begun).toEqual(['ada']);
    const failing = new Identities(
      {
        issuer: issuer.url,
        audiences: [AUDIENCE],
        ownerClaim: 'sub',
        ownerPrefix: '',
        scopesClaim: 'scope',
        scopes: new Map([['*', ['read']]]),
        limits: new Map(),
        client: undefined,
      },
      () => Promise.reject(new Error('The disk is full.')),
      pino({}, { write: (line) => lines.push(line) }),
    );
    expect(await failing.authenticate(await issuer.token())).toMatchObject({ owner: 'ada' });
    expect(lines.join('')).toContain('The disk is full.');
  });
});

describe('the scopes', () => {
  const scopes: OidcConfig['scopes'] = new Map([
    ['analysts', ['predict', 'read']],
    ['admins', ['read', 'write', 'operate']],
    ['__proto__', ['ask']],
  ]);

  test.each<[string, Claims, readonly string[]]>([
    ['roles', { roles: ['analysts'] }, ['read', 'predict']],
    ['roles', { roles: ['analysts', 'admins', 7] }, ['read', 'write', 'predict', 'operate']],
    ['roles', { roles: 'x analysts' }, ['read', 'predict']],
    ['realm_access.roles', { realm_access: { roles: ['analysts'] } }, ['read', 'predict']],
    ['roles', { roles: ['__proto__'] }, ['ask']],
  ])('are those of the values of the claim %s in %j', async (scopesClaim, claims, expected) => {
    expect(await tell({ scopesClaim, scopes }, claims)).toMatchObject({ scopes: expected });
  });

  test.each<[Claims]>([
    [{}],
    [{ roles: [] }],
    [{ roles: ['Analysts', 'analysts '] }],
    [{ roles: { analysts: true } }],
    [{ roles: ['constructor'] }],
  ])('are none of %j', async (claims) => {
    await expect(tell({ scopesClaim: 'roles', scopes }, claims)).rejects.toThrow(
      /no scope of Roster: nothing in its claim "roles" .*OIDC_SCOPES/,
    );
  });
});

describe('the limits', () => {
  const limits: OidcConfig['limits'] = new Map([
    ['analysts', { requests: 60, rows: 1000 }],
    ['interns', { requests: 90, rows: 10, tokens: 5 }],
    ['engineers', {}],
    ['*', { requests: 30 }],
  ]);

  test.each<[unknown, object | undefined]>([
    [['analysts'], { requests: 60, rows: 1000 }],
    ['interns', { requests: 90, rows: 10, tokens: 5 }],
    [['analysts', 'interns', 'guests'], { requests: 90, rows: 1000 }],
    [['analysts', 'engineers'], undefined],
    [['guests', 7, 'constructor', '__proto__'], { requests: 30 }],
    [undefined, { requests: 30 }],
    [['*', 'interns'], { requests: 90, rows: 10, tokens: 5 }],
  ])('of %j are the largest that its values have', async (roles, expected) => {
    const caller = await tell({ scopesClaim: 'roles', limits }, { roles });
    expect(caller.limits).toEqual(expected);
    expect('limits' in caller).toBe(expected !== undefined);
  });

  test('are none for values that have none, without a star', async () => {
    const named = new Map([['analysts', { rows: 1 }]]);
    expect(await tell({ limits: named }, { scope: 'guests' })).not.toHaveProperty('limits');
  });
});

describe('a token that was shown before', () => {
  test('is known at once, also while the issuer is down, and ends with its end', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] });
    const identities = identitiesWith();
    const token = await issuer.token({}, { seconds: 60 });
    const caller = await identities.authenticate(token);
    await issuer.stop();
    expect(identities.authenticate(token)).toBe(caller);
    vi.advanceTimersByTime(64_000);
    expect(identities.authenticate(token)).toBe(caller);
    vi.advanceTimersByTime(2000);
    await expect(identities.authenticate(token)).rejects.toThrow('expired');
    if (caller.identity) expect(identities.isValid(caller.identity)).toBe(false);
    vi.useRealTimers();
    await issuer.reset();
  });

  test('is good no more after the issuer took its key back', async () => {
    stopClock();
    const identities = identitiesWith();
    const token = await issuer.token({}, { alg: 'ES256' });
    const caller = await identities.authenticate(token);
    await issuer.rotate('ES256', 'second');
    // The issuer may be asked again.
    vi.advanceTimersByTime(1000);
    const renewed = await issuer.token({}, { alg: 'ES256' });
    expect(await identities.authenticate(renewed)).toBeDefined();
    await expect(identities.authenticate(token)).rejects.toThrow('does not publish');
    if (caller.identity) expect(identities.isValid(caller.identity)).toBe(false);
  });

  test('of the far future has an end that can be written', async () => {
    const caller = await tell({}, { exp: Number.MAX_SAFE_INTEGER });
    expect(caller.identity?.until).toBe(Date.parse('9999-12-31T23:59:59Z'));
  });
});
