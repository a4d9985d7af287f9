import { isUtf8 } from 'node:buffer';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { asRecord, parseJson } from '../../contract/json-record.js';
import type { components } from '../../generated/openapi.js';
import { type FieldError, listFaults } from '../problems/problem.js';

type Schemas = components['schemas'];

/** Where a project is, as the options of a command say it. */
export interface ProjectOptions {
  readonly url: string;
  readonly project: string;
  readonly keyFile?: string;
}

/** Gives a command the options that name a project of a running service. */
export function withProject(command: Command): Command {
  return command
    .option('--url <url>', 'the address of the service', 'http://127.0.0.1:4000')
    .option('--project <name>', 'the project', 'default')
    .option('--key-file <file>', 'a file that holds the key (default: the variable ROSTER_KEY)');
}

const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
};

/**
 * Reads a text file that a command names.
 * @throws with the name of the file, and why it cannot be read
 */
export function readNamedFile(path: string): string {
  const bytes = explainFailure(`${path} cannot be read`, () => readFileSync(path));
  if (!isUtf8(bytes)) throw new Error(`${path} is not UTF-8 text; save it in UTF-8`);
  return new TextDecoder().decode(bytes);
}

/** @throws with the name of the file, and why it cannot be written */
export function writeNamedFile(path: string, text: string): void {
  explainFailure(`${path} cannot be written`, () => writeFileSync(path, text));
}

function explainFailure<T>(what: string, use: () => T): T {
  try {
    return use();
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    throw new Error(`${what}: ${FILE_ERRORS[code] ?? String(cause)}`, { cause });
  }
}

/** The longest time of a request, in milliseconds: an apply may read rows for four minutes. */
const TIMEOUT_MS = 5 * 60_000;

/** A problem that the service answered with. */
export class ServiceProblem extends Error {
  constructor(
    detail: string,
    readonly errors: readonly FieldError[],
  ) {
    super(detail);
  }
}

/** A project of a running service. */
export class RemoteProject {
  readonly #base: string;
  readonly #project: string;
  readonly #key: string | undefined;

  /** @throws if the address is not one of HTTP, or the key cannot be read */
  constructor({ url, project, keyFile }: ProjectOptions) {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
      throw new Error(`--url must be an address such as http://127.0.0.1:4000, not ${url}`);
    }
    const base = new URL(url);
    this.#base = `${base.origin}${base.pathname.replace(/\/$/, '')}`;
    this.#project = encodeURIComponent(project);
    this.#key = (keyFile === undefined ? process.env['ROSTER_KEY'] : readNamedFile(keyFile))?.trim();
  }

  /** @throws {ServiceProblem} */
  async read(): Promise<Schemas['Manifest']> {
    const { body } = await this.#send<Schemas['Manifest']>(this.#manifest);
    return body;
  }

  /** @throws {ServiceProblem} */
  async readModel(name: string): Promise<Schemas['Model']> {
    const { body } = await this.#send<Schemas['Model']>(this.#model(name));
    return body;
  }

  /** Returns the address at which a model predicts rows, and the headers that name the caller. */
  prediction(model: string): { readonly address: URL; readonly headers: Readonly<Record<string, string>> } {
    const address = this.#model(model);
    address.pathname += '/predict';
    return { address, headers: this.#key ? { Authorization: `Bearer ${this.#key}` } : {} };
  }

  /**
   * Applies a manifest, or returns the changes that it would make.
   * @param tag of the manifest that was shown, to refuse another
   * @throws {ServiceProblem}
   */
  async apply(
    manifest: unknown,
    options: { readonly dryRun: boolean; readonly prune: boolean; readonly tag?: string },
  ): Promise<{ changes: Schemas['ManifestChanges']; tag: string }> {
    const address = this.#manifest;
    address.searchParams.set('dry_run', String(options.dryRun));
    address.searchParams.set('prune', String(options.prune));
    const { body, tag } = await this.#send<Schemas['ManifestChanges']>(address, {
      method: 'PUT',
      body: JSON.stringify(manifest),
      headers: { 'Content-Type': 'application/json', ...(options.tag !== undefined && { 'If-Match': options.tag }) },
    });
    return { changes: body, tag };
  }

  get #manifest(): URL {
    return new URL(`${this.#base}/projects/${this.#project}/manifest`);
  }

  #model(name: string): URL {
    return new URL(`${this.#base}/api/projects/${this.#project}/models/${encodeURIComponent(name)}`);
  }

  async #send<T>(address: URL, init: RequestInit = {}): Promise<{ body: T; tag: string }> {
    const headers = new Headers(init.headers);
    if (this.#key) headers.set('Authorization', `Bearer ${this.#key}`);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    // A key is not handed on to wherever an answer leads.
    const response = await fetch(address, { ...init, headers, signal, redirect: 'error' }).catch((cause: unknown) => {
      throw new Error(`${address.origin} does not answer: ${explain(cause)}`, { cause });
    });
    const text = await response.text();
    const body = parseJson(text);
    if (response.ok && body !== undefined) {
      // The service keeps to the contract.
      return { body: body as T, tag: response.headers.get('ETag') ?? '' };
    }
    throw toServiceError(response.status, body, address);
  }
}

function explain(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause instanceof Error ? cause.cause.message : cause.message;
}

/** Returns the error of an answer other than that of the contract. */
export function toServiceError(status: number, body: unknown, { origin }: URL): Error {
  const { detail } = asRecord(body);
  if (typeof detail !== 'string') return new Error(`${origin} answers with ${status}, and no problem of Roster`);
  return new ServiceProblem(detail, listFaults(asRecord(body)));
}
