import { hash } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { freePort } from './http/free-port.js';
import { type LoopbackServer, serveOnLoopback } from './http/loopback-server.js';

export const AUDIENCE = 'roster';

/** A key pair of an issuer. */
interface Pair {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly jwk: object;
}

/** Claims of a token that differ from the usual ones; undefined for one that it lacks. */
export type Claims = Readonly<Record<string, unknown>>;

/** A token that differs from a usual one. */
export interface TokenOptions {
  readonly alg?: string;
  /** The id of the key in the header; null for none. */
  readonly kid?: string | null;
  readonly header?: object;
  /** The time until its end, in seconds. */
  readonly seconds?: number;
}

async function makePair(alg: string, kid: string): Promise<Pair> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, use: 'sig' } };
}

/** An OIDC issuer on this machine, which signs whatever it is asked to. */
export class OidcIssuer {
  /** The addresses that were asked for. */
  asked: string[] = [];
  /** Answers in place of the issuer, where it is set. */
  instead: RequestListener | undefined;
  /** The requests of browsers, and what they are sent back with. */
  signIns: Readonly<Record<string, string>>[] = [];
  authorized: Readonly<Record<string, string>> = { code: 'the-code' };
  /** Answers that `hold` keeps back. */
  held: ServerResponse[] = [];
  #server: LoopbackServer | undefined;

  #pairs: readonly Pair[];

  private constructor(
    private readonly first: readonly Pair[],
    private readonly port: number,
  ) {
    this.#pairs = first;
  }

  get pairs(): readonly Pair[] {
    return this.#pairs;
  }

  static async open(): Promise<OidcIssuer> {
    const pairs = await Promise.all(['RS256', 'ES256', 'EdDSA'].map((alg) => makePair(alg, `first-${alg}`)));
    const issuer = new OidcIssuer(pairs, await freePort());
    await issuer.start();
    return issuer;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The settings of a service that takes its tokens. */
  get env() {
    return { OIDC_ISSUER: this.url, OIDC_AUDIENCE: AUDIENCE };
  }

  async start(): Promise<void> {
    this.#server = await serveOnLoopback((req, res) => this.#answer(req, res), this.port);
  }

  /** Stops it, as if it were down; it starts on the same port again. */
  async stop(): Promise<void> {
    await this.#server?.close();
    this.#server = undefined;
  }

  /** Makes it take requests, and never answer them. */
  hold(): void {
    this.instead = (_req, res) => void this.held.push(res);
  }

  /** Gives it a new key for an algorithm, and takes the ones before away. */
  async rotate(alg: string, kid: string): Promise<void> {
    this.#pairs = [...this.pairs.filter((pair) => pair.alg !== alg), await makePair(alg, kid)];
  }

  /** Makes it what it was at first. */
  async reset(): Promise<void> {
    await this.stop();
    this.#pairs = this.first;
    this.instead = undefined;
    [this.asked, this.held, this.signIns] = [[], [], []];
    this.authorized = { code: 'the-code' };
    await this.start();
  }

  /** Signs a token for `ada`, who may read, with the claims that are given. */
  token(claims: Claims = {}, options: TokenOptions = {}): Promise<string> {
    const { alg = 'RS256', kid, header = {}, seconds = 300 } = options;
    const pair = this.pairs.find((one) => one.alg === alg);
    if (!pair) throw new Error(`There is no key for ${alg}`);
    const now = Math.floor(Date.now() / 1000);
    const usual = { iss: this.url, aud: AUDIENCE, sub: 'ada', scope: 'roster:read', iat: now };
    return new SignJWT({ ...usual, exp: now + seconds, ...claims })
      .setProtectedHeader({ alg, ...(kid !== null && { kid: kid ?? pair.kid }), ...header })
      .sign(pair.privateKey);
  }

  readonly #answer: RequestListener = (req, res) => {
    this.asked.push(req.url ?? '');
    if (this.instead) return this.instead(req, res);
    if (req.url === '/.well-known/openid-configuration') return sendJson(res, this.#configuration());
    if (req.url === '/keys') return sendJson(res, { keys: this.pairs.map(({ jwk }) => jwk) });
    if (req.url?.startsWith('/authorize?')) return this.#authorize(req.url, res);
    if (req.url === '/token') return void this.#redeem(req, res);
    res.writeHead(404).end();
  };

  /** Sends the browser back with a code, as someone who has signed in before. */
  #authorize(address: string, res: ServerResponse): void {
    const asked = new URL(address, this.url).searchParams;
    this.signIns.push(Object.fromEntries(asked));
    const back = new URL(asked.get('redirect_uri') ?? '');
    back.search = `${new URLSearchParams({ state: asked.get('state') ?? '', ...this.authorized })}`;
    res.writeHead(302, { Location: back.href }).end();
  }

  /** Gives tokens for the code to who knows the verifier of the last challenge. */
  async #redeem(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(req));
    const { code_challenge: challenge, client_id: client } = this.signIns.at(-1) ?? {};
    const verified = hash('sha256', form.get('code_verifier') ?? '', 'base64url');
    const isGood = form.get('code') === 'the-code' && verified === challenge;
    res.setHeader('Access-Control-Allow-Origin', req.headers.origin ?? '');
    if (!isGood) return void res.writeHead(400).end('{"error": "invalid_grant"}');
    const id_token = await this.token({ aud: client, scope: 'roster:read roster:ask' });
    sendJson(res, { access_token: 'opaque', token_type: 'Bearer', id_token });
  }

  #configuration() {
    return {
      issuer: this.url,
      jwks_uri: `${this.url}/keys`,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
    };
  }
}

function sendJson(res: ServerResponse, body: object): void {
  res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
