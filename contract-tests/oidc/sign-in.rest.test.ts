/** The console signs in at an OIDC issuer, in a browser. */
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { browserOfThisMachine, closePages, NO_BROWSER, sharedBrowser } from '../../testkit/browser.js';
import { OidcIssuer } from '../../testkit/oidc-issuer.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { expectGoodView, openConsole } from '../console/console-page.js';
import { open } from '../docs/browser.js';

const executable = browserOfThisMachine();
let browser: Browser;
let issuer: OidcIssuer;
let server: ServerProcess;

beforeAll(async () => {
  issuer = await OidcIssuer.open();
  const env = { ...issuer.env, OIDC_AUDIENCE: 'roster,console', OIDC_CLIENT_ID: 'console' };
  server = await startServer({ env: { ...env, BASE_PATH: '/ml' } });
  if (executable !== undefined) browser = await sharedBrowser(executable);
});
afterAll(async () => {
  await closePages();
  await Promise.all([server?.stop(), issuer?.stop()]);
});
beforeEach(({ skip }) => skip(executable === undefined, NO_BROWSER));
afterEach(() => issuer.reset());

const signInPage = (search = '') => open(browser, `${server.url}/sign-in${search}`, { until: 'h1' });

test('a user signs in, comes back to the view, and is known until the tab is closed', async () => {
  const { page, faults } = await openConsole(browser, server.url, '/key');
  await page.getByRole('dialog').getByRole('link', { name: 'Sign in' }).click();
  await page.getByText('ada belongs to ada.').waitFor();
  expect(page.url()).toBe(`${server.url}/#/key`);
  await page.getByText('May read').waitFor();
  await page.getByText('May not write').waitFor();
  const [asked] = issuer.signIns;
  expect(asked).toMatchObject({
    response_type: 'code',
    client_id: 'console',
    scope: 'openid',
    code_challenge_method: 'S256',
    redirect_uri: `${server.url}/sign-in`,
  });
  expect(await page.evaluate('Object.keys(sessionStorage)')).toEqual(['roster-key']);
  expect(await page.evaluate('localStorage.length + document.cookie.length')).toBe(0);
  await page.reload();
  await page.getByText('ada belongs to ada.').waitFor();
  await page.getByRole('button', { name: 'Continue without a key' }).click();
  await page.getByRole('dialog').waitFor();
  expect(faults.filter((fault) => !/status of 40[13]/.test(fault))).toEqual([]);
  await page.context().close();
});

test.each([
  ['by a link of someone else', '?code=the-code&state=of-someone', 'not begun in this tab'],
  ['with nothing but a state', '?state=', 'not begun in this tab'],
])('an answer %s signs nobody in', async (_, search, reason) => {
  const look = await signInPage(search);
  await look.page.getByText(reason).waitFor();
  expect(new URL(look.page.url()).search).toBe('');
  expect(await look.page.evaluate('sessionStorage.length')).toBe(0);
  expect(issuer.asked).not.toContain('/token');
  await expectGoodView(look);
  await look.page.context().close();
});

test.each<[string, Record<string, string>, string]>([
  ['refuses', { error: 'access_denied', error_description: '<b>No</b>' }, 'refused: <b>No</b>'],
  ['has another code', { code: 'other' }, 'refused the code: invalid_grant'],
  ['is another', { code: 'the-code', iss: 'https://evil.example' }, 'not begun in this tab'],
])('an issuer that %s is shown in words', async (_, authorized, reason) => {
  issuer.authorized = authorized;
  const { page } = await signInPage();
  await page.getByText(reason).waitFor();
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
  await page.context().close();
});

test('the page may reach the issuer, and no page of a service without a client may', async () => {
  const policyOf = async (url: string) =>
    (await fetch(url, { headers: { Accept: 'text/html' } })).headers.get('Content-Security-Policy');
  expect(await policyOf(`${server.url}/sign-in`)).toContain(`connect-src 'self' ${issuer.url};`);
  expect(await policyOf(`${server.url}/`)).toContain("connect-src 'self';");
  const plain = await startServer({ env: issuer.env });
  expect((await fetch(`${plain.url}/sign-in`)).status).toBe(404);
  const page = await fetch(`${plain.url}/`, { headers: { Accept: 'text/html' } });
  expect(await page.text()).not.toContain('sign-in');
  await plain.stop();
});
