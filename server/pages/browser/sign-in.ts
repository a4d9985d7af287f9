/**
 * Runs in the browser on the page `/sign-in`: signs in at the OIDC issuer by an authorization code with PKCE (RFC 7636),
 * and leaves the token where the console looks for the key of the tab. There is no secret of the client.
 */

// The service is compiled without browser types, so that it cannot use them by mistake.
interface Storage {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
  removeItem(name: string): void;
}
interface Element {
  textContent: string;
  readonly dataset: Readonly<Record<string, string | undefined>>;
}
declare const document: { querySelector(selector: string): Element | null };
declare const location: {
  readonly origin: string;
  readonly pathname: string;
  readonly search: string;
  readonly hash: string;
  replace(address: string): void;
};
declare const history: { replaceState(data: null, unused: '', address: string): void };
declare const sessionStorage: Storage;

/** The place of the key in the storage of the tab, which the console reads. */
const KEY = 'roster-key';

/** The place of what has to be known again after the way over the issuer. */
const BEGUN = 'roster-sign-in';

/** A sign-in that has begun. */
interface Begun {
  readonly state: string;
  readonly verifier: string;
  /** The view of the console, the part of its address from `#` on. */
  readonly view: string;
}

/** Why the sign-in goes no further, for the user. */
class SignInError extends Error {}

const { dataset = {} } = document.querySelector('#content') ?? {};
const { authorization = '', token = '', issuer = '', client: clientId = '', scope = '' } = dataset;
const redirectUri = location.origin + location.pathname;

function encode(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

function randomText(): string {
  return encode(crypto.getRandomValues(new Uint8Array(32)));
}

/** Leaves for the issuer. */
async function begin(): Promise<void> {
  // Browsers have it on secure pages alone.
  if (!crypto.subtle) {
    throw new SignInError('Signing in needs an address with https, or one of this machine.');
  }
  const begun: Begun = { state: randomText(), verifier: randomText(), view: location.hash };
  sessionStorage.setItem(BEGUN, JSON.stringify(begun));
  const bytes = new TextEncoder().encode(begun.verifier);
  const challenge = encode(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
  const address = new URL(authorization);
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state: begun.state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  location.replace(address.href);
}

/** Takes the code that the issuer sent, and goes to the console. */
async function finish(answer: URLSearchParams): Promise<void> {
  const begun = readBegun();
  // A link of someone else would sign the user in as them (RFC 9700, section 4.7), or mix up issuers (RFC 9207).
  const isOwn = answer.get('state') === begun?.state && (answer.get('iss') ?? issuer) === issuer;
  if (!begun || !isOwn) throw new SignInError('This sign-in was not begun in this tab.');
  const code = answer.get('code');
  if (code === null) {
    const reason = answer.get('error_description') ?? answer.get('error') ?? 'no code';
    throw new SignInError(`The identity provider refused: ${reason.slice(0, 300)}`);
  }
  let refusal = 'The identity provider gave no token that the service takes.';
  for (const found of await redeem(code, begun.verifier)) {
    const { ok, body } = await askCaller(found);
    if (ok) {
      sessionStorage.setItem(KEY, found);
      location.replace(`./${begun.view}`);
      return;
    }
    if (found.split('.').length === 3) refusal = body;
  }
  throw new SignInError(refusal);
}

/** Returns what was begun in this tab, once. */
function readBegun(): Begun | undefined {
  const text = sessionStorage.getItem(BEGUN);
  sessionStorage.removeItem(BEGUN);
  return text === null ? undefined : JSON.parse(text);
}

/** Returns the tokens that a code is good for: the access token may be for others, the ID token is for the client. */
async function redeem(code: string, verifier: string): Promise<string[]> {
  const form = {
    grant_type: 'authorization_code',
    code,
    client_id: clientId,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  };
  const answer = await fetch(token, { method: 'POST', body: new URLSearchParams(form) }).catch(() => {
    throw new SignInError(
      'The identity provider cannot be reached from this page; it has to allow the origin of the page (CORS).',
    );
  });
  const found: unknown = await answer.json().catch(() => ({}));
  const { access_token, id_token, error = answer.status } = Object(found);
  if (!answer.ok) throw new SignInError(`The identity provider refused the code: ${error}`);
  return [access_token, id_token].filter((one) => typeof one === 'string');
}

async function askCaller(found: string): Promise<{ ok: boolean; body: string }> {
  const answer = await fetch('./me', { headers: { Authorization: `Bearer ${found}` } });
  const { detail } = Object(await answer.json().catch(() => ({})));
  return { ok: answer.ok, body: `${detail ?? answer.status}` };
}

async function run(): Promise<void> {
  const answer = new URLSearchParams(location.search);
  if (!answer.has('state')) return begin();
  // The code stays out of the history, and of what is copied from the address bar.
  history.replaceState(null, '', location.pathname);
  await finish(answer);
}

run().catch((error: unknown) => {
  const status = document.querySelector('[role=status]');
  const reason = error instanceof SignInError ? error.message : 'Signing in failed; try again, or use a key.';
  if (status) status.textContent = reason;
});
