import type { Scope } from '../../contract/scopes.js';
import { escapeHtml, renderPage } from '../pages/page.js';
import type { Client } from './client.js';

/** The request of a client, as the page shows it. */
export interface Consent {
  readonly client: Client;
  readonly redirectUri: string;
  /** The parameters of the request, which the form repeats. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly scopes: readonly Scope[];
  /** The project that the resource names; undefined if the reader chooses one. */
  readonly project: string | undefined;
}

/** The values that were entered, if the form is shown again. */
export interface Entered {
  /** The fault of the values. */
  readonly fault: string;
  readonly scopes: readonly Scope[];
  readonly project: string;
  /** The projects of the key, if the one that was entered is not there. */
  readonly projects?: readonly string[];
}

const SCOPES: Readonly<Record<string, string>> = {
  read: 'Read how well models do, and find and read documents',
  predict: 'Predict with trained models',
  ask: 'Ask agents, and query the tables of their skills',
};

/** The form leads to the service, which leads to the client: browsers apply the policy to both. */
function policy(formTargets: string): string {
  return `default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action ${formTargets}; frame-ancestors 'none'`;
}

/** Without it, browsers would send the form with `Origin: null`; to others they tell nothing. */
const REFERRER_POLICY = 'same-origin';

function headers(formTargets: string) {
  return { 'Content-Security-Policy': policy(formTargets), 'Referrer-Policy': REFERRER_POLICY } as const;
}

/** Returns the source of a policy that an address has (CSP level 3, section 2.3.1), which has none for `[::1]`. */
function policySource(uri: string): string {
  const { protocol, hostname, origin } = new URL(uri);
  if (protocol === 'https:') return origin;
  return protocol === 'http:' && !hostname.startsWith('[') ? `http://${hostname}:*` : protocol;
}

/** Says where an answer goes: to a host, or to a program. */
function describeTarget(uri: string): string {
  const { protocol, host } = new URL(uri);
  if (protocol === 'https:') return `<strong>${escapeHtml(host)}</strong>`;
  const program = protocol === 'http:' ? host : protocol.slice(0, -1);
  return `a program on your machine (<strong>${escapeHtml(program)}</strong>)`;
}

function describeClient({ name, host }: Client): string {
  const own = name ? `It calls itself <strong>${escapeHtml(name)}</strong>, which nobody has checked.` : '';
  return host === undefined
    ? `A client that was registered by itself asks for it. ${own}`
    : `The client of <strong>${escapeHtml(host)}</strong> asks for it. ${own}`;
}

/** Returns the page on which someone pastes a key, and chooses what the client may do with it. */
export function consentPage(consent: Consent, entered?: Entered) {
  const { client, redirectUri, parameters, scopes, project } = consent;
  const hidden = Object.entries(parameters).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  const boxes = scopes.map((scope) => {
    const isChosen = !entered || entered.scopes.includes(scope);
    return `<label class="choice"><input type="checkbox" name="allow_${scope}" value="yes"${isChosen ? ' checked' : ''}> ${SCOPES[scope]} <code>${scope}</code></label>`;
  });
  const html = renderPage({
    title: 'Connect a client',
    root: '../',
    content: `<main class="text" id="content">
<h1>Connect a client</h1>
<p>With your consent, a client may use Roster for you. ${describeClient(client)} The answer goes to ${describeTarget(redirectUri)}.</p>
<p><strong>Go on only if you have just connected this client yourself.</strong></p>
${entered ? `<p class="fault" role="alert" id="fault">${escapeHtml(entered.fault)}</p>\n` : ''}<form method="post" action="/oauth/authorize">
${hidden.join('\n')}
<p><label for="key">Key of Roster</label>
<input type="password" id="key" name="key" required maxlength="200" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="about-key${entered ? ' fault' : ''}">
<span class="hint" id="about-key">It stays here: the client gets its own token, which ends with the key. <code>roster keys create</code> makes one.</span></p>
${projectField(project, entered)}
<fieldset><legend>The client may</legend>
${boxes.join('\n')}
</fieldset>
<p class="actions"><button type="submit" name="decision" value="allow">Allow</button>
<button type="submit" name="decision" value="deny" formnovalidate>Cancel</button></p>
</form>
</main>`,
  });
  return { html, headers: headers(`'self' ${policySource(redirectUri)}`) };
}

function projectField(fixed: string | undefined, entered: Entered | undefined): string {
  if (fixed !== undefined) {
    return `<p>Project: <strong>${escapeHtml(fixed)}</strong>, and no other.</p>`;
  }
  const { project = '', projects } = entered ?? {};
  const field = projects
    ? `<select id="project" name="project">${projects.map((name) => `<option>${escapeHtml(name)}</option>`).join('')}</select>`
    : `<input type="text" id="project" name="project" maxlength="100" value="${escapeHtml(project)}" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="about-project">`;
  return `<p><label for="project">Project</label>
${field}
<span class="hint" id="about-project">The client sees this project alone. Left empty, it is <code>default</code>, or your only one.</span></p>`;
}

/**
 * Returns a page that says what is wrong with a request.
 * @param back the address with the error, of a client whose address is registered. A reader follows it, or does not:
 *   anyone can register a client, and no link to this service may lead somewhere else by itself
 */
export function faultPage(fault: string, back?: string) {
  const way = back
    ? `<p class="on"><a href="${escapeHtml(back)}">Return to the client</a> at ${describeTarget(back)}, which learns of the error.</p>`
    : '<p class="on">Nothing was sent to the client. Go back to it, and connect again.</p>';
  const html = renderPage({
    title: 'The client cannot be connected',
    root: '../',
    content: `<main class="text" id="content">
<h1>The client cannot be connected</h1>
<p class="fault" role="alert">${escapeHtml(fault)}</p>
${way}
</main>`,
  });
  return { html, headers: headers("'none'") };
}
