import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { get, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Scope } from '../../contract/scopes.js';
import { Store } from '../../server/store/index.js';
import { revokeKey } from '../../server/store/keys.js';
import { root } from '../../testkit/root.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { makeKey } from '../../testkit/store/keys.js';
import { checkedFetch } from '../checked-fetch.js';

export const ISSUER = 'https://roster.example.com';
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
export const CALLBACK = 'http://127.0.0.1:33418/callback';

export type Parameters = Readonly<Record<string, string | undefined>>;

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
  readonly expires_in: number;
}

/** A service with a public URL, and hosts of clients; each answer is checked against the contract. */
export class OauthService {
  private constructor(
    readonly databaseUrl: string,
    private readonly server: ServerProcess,
    /** Belongs to the owner `local`, and has every scope. */
    readonly key: string,
    private readonly end: () => Promise<void>,
    private readonly issuer = ISSUER,
  ) {}

  /** @param hosts answers for the hosts that end in `.example`; without it, none is there */
  static async open(hosts?: RequestListener): Promise<OauthService> {
    const folder = await mkdtemp(join(tmpdir(), 'roster-oauth-'));
    const databaseUrl = `file:${join(folder, 'roster.db')}`;
    const key = await makeKey(databaseUrl, { name: 'own' });
    const internet = hosts ? await openInternet(folder, hosts) : undefined;
    const server = await startServer({
      databaseFile: join(folder, 'roster.db'),
      env: { PUBLIC_URL: ISSUER, ...internet?.env },
    });
    return new OauthService(databaseUrl, server, key, async () => {
      await server.kill();
      await internet?.end();
      await rm(folder, { recursive: true, force: true });
    });
  }

  /** Speaks to a service that runs already, with the public URL `issuer`. */
  static on(server: ServerProcess, databaseUrl: string, key: string, issuer: string): OauthService {
    return new OauthService(databaseUrl, server, key, async () => {}, issuer);
  }

  get url(): string {
    return this.server.url;
  }

  get log(): string {
    return this.server.log.join('\n');
  }

  close(): Promise<void> {
    return this.end();
  }

  createKey(options: { owner?: string; scopes?: readonly Scope[]; project?: string }): Promise<string> {
    return makeKey(this.databaseUrl, { name: 'other', ...options });
  }

  async onStore(work: (store: Store) => Promise<unknown>): Promise<void> {
    const store = await Store.open(this.databaseUrl);
    try {
      await work(store);
    } finally {
      await store.close();
    }
  }

  /** Moves the moment at which refresh tokens were made: so many milliseconds ago. */
  ageRefreshTokens(milliseconds: number): Promise<void> {
    const refresh_since = Date.now() - milliseconds;
    return this.onStore(({ work }) =>
      work.updateTable('oauth_grants').set({ refresh_since }).where('refresh_hash', 'is not', null).execute(),
    );
  }

  revoke(key: string): Promise<void> {
    return this.onStore((store) => revokeKey(store, `${key.split('_')[1]}`));
  }

  send(path: string, init: RequestInit = {}): Promise<Response> {
    return checkedFetch(new Request(this.url + path, { redirect: 'manual', ...init }));
  }

  async metadata(path: string): Promise<Record<string, unknown>> {
    return Object(await (await this.send(path)).json());
  }

  async register(fields: object = { client_name: 'Desk', redirect_uris: [CALLBACK] }) {
    const answer = await this.send('/oauth/register', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(fields),
    });
    return { status: answer.status, body: Object(await answer.json()) };
  }

  /** Opens the consent page with the parameters of a client, and those that are given. */
  async page(client: string, parameters: Parameters = {}) {
    return read(await this.send(pagePath(client, parameters)));
  }

  /** Opens the consent page from an address of this machine. Returns its status. */
  async pageFrom(localAddress: string, client: string): Promise<number | undefined> {
    const sent = get(this.url + pagePath(client), { localAddress });
    const [answer]: IncomingMessage[] = await once(sent, 'response');
    answer?.resume();
    return answer?.statusCode;
  }

  /** Sends the form of the consent page. */
  async consent(client: string, fields: Parameters = {}, headers: Parameters = {}) {
    const form = {
      ...request(client),
      allow_read: 'yes',
      allow_predict: 'yes',
      allow_ask: 'yes',
      decision: 'allow',
      key: this.key,
      ...fields,
    };
    const sent = { Origin: this.issuer, 'Sec-Fetch-Site': 'same-origin', ...headers };
    return read(await this.post('/oauth/authorize', form, sent));
  }

  async code(client: string, fields: Parameters = {}): Promise<string> {
    const { answer, text } = await this.consent(client, fields);
    const code = answer?.searchParams.get('code');
    if (!code) throw new Error(`There is no code: ${text}`);
    return code;
  }

  /** Asks for tokens with a code. */
  redeem(client: string, code: string, fields: Parameters = {}) {
    const form = { grant_type: 'authorization_code', code, code_verifier: VERIFIER };
    return this.token({ ...form, client_id: client, redirect_uri: CALLBACK, ...fields });
  }

  refresh(client: string, refresh_token: string, fields: Parameters = {}) {
    return this.token({ grant_type: 'refresh_token', refresh_token, client_id: client, ...fields });
  }

  async token(form: Parameters) {
    const answer = await this.post('/oauth/token', form);
    const body: unknown = await answer.json();
    const { error, ...tokens } = Object(body);
    return { status: answer.status, error, tokens: tokens as Tokens, headers: answer.headers };
  }

  /** Goes all the way to tokens. */
  async connect(client: string, fields: Parameters = {}): Promise<Tokens> {
    const { status, tokens } = await this.redeem(client, await this.code(client, fields));
    if (status !== 200) throw new Error(JSON.stringify(tokens));
    return tokens;
  }

  post(path: string, form: Parameters, headers: Parameters = {}): Promise<Response> {
    return this.send(path, {
      method: 'POST',
      headers: [['Content-Type', 'application/x-www-form-urlencoded'], ...present(headers)],
      body: new URLSearchParams(present(form)).toString(),
    });
  }

  /** Lists the tools of an MCP server. */
  async tools(token: string, path = '/mcp') {
    const { status, result, challenge } = await this.ask(token, 'tools/list', {}, path);
    const names = (result?.tools ?? []).map(({ name }: { name: string }) => name);
    return { status, names, challenge };
  }

  /** Sends a message to an MCP server. */
  async ask(token: string, method: string, params: object, path = '/mcp') {
    const answer = await this.send(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error, type } = Object(await answer.json());
    return { status: answer.status, result, error, type, challenge: answer.headers.get('WWW-Authenticate') ?? '' };
  }

  /** Creates a project with a skill whose documents are a tool. */
  async createProject(name: string): Promise<void> {
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${this.key}` };
    const create = (path: string, body: object) =>
      this.send(path, { method: 'POST', headers, body: JSON.stringify(body) });
    await create('/projects', { project: { name } });
    await create(`/projects/${name}/skills`, {
      skill: { name: `of_${name}`, type: 'retrieval', params: { source: 'care' } },
    });
    await this.send(`/projects/${name}/skills/of_${name}/documents/care`, {
      method: 'PUT',
      headers: { ...headers, 'Content-Type': 'text/markdown' },
      body: '# Care\n\nSoap and water.',
    });
  }
}

/** The request of a client, as in the examples of the contract. */
function request(client: string): Parameters {
  return {
    response_type: 'code',
    client_id: client,
    redirect_uri: CALLBACK,
    state: 'af0ifjsldkj',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  };
}

function present(parameters: Parameters): [string, string][] {
  return Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
}

function pagePath(client: string, parameters: Parameters = {}): string {
  const query = new URLSearchParams(present({ ...request(client), ...parameters }));
  return `/oauth/authorize?${query}`;
}

async function read(answer: Response) {
  const location = answer.headers.get('Location');
  return {
    status: answer.status,
    headers: answer.headers,
    text: await answer.text(),
    /** The address that it leads to. */
    answer: location === null ? undefined : new URL(location),
  };
}

/** Opens a server of HTTPS for all hosts of the Internet that the service then sees. */
async function openInternet(folder: string, hosts: RequestListener) {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  await promisify(execFile)('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-keyout', key, '-out', cert, '-days', '2', '-subj', '/CN=example'],
    ...[
      '-addext',
      'subjectAltName=DNS:host.example,DNS:other.example,DNS:third.example,DNS:half.example,DNS:inside.example',
    ],
  ]);
  const server = createServer({ key: await readFile(key), cert: await readFile(cert) }, hosts);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    env: {
      OWN_INTERNET: String(port),
      NODE_EXTRA_CA_CERTS: cert,
      NODE_OPTIONS: `--import=${new URL('dist/testkit/http/own-internet.js', root)}`,
    },
    end: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
