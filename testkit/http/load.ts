import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { AnswerReader } from './answer-reader.js';
import type { Headers } from './client.js';

/** What became of the requests of a time. */
export interface Load {
  /** How long it was, in seconds. */
  readonly seconds: number;
  /** Requests that were to be sent. */
  readonly offered: number;
  /** Requests that were sent, for which there was a connection. */
  readonly sent: number;
  /** Answers of 2xx. */
  readonly served: number;
  /** From the first byte of a request to the last of its answer, in milliseconds: of 2xx, and of all others. */
  readonly serving: readonly number[];
  readonly refusing: readonly number[];
  /** What came in place of 2xx and 503: another status, or the end of the connection. */
  readonly others: readonly string[];
}

/** Says which request is sent next, as the bytes that go over the wire. */
export type Requests = () => Buffer;

/** The bytes of a request. A body is JSON. */
export function wire(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Headers = {},
): Buffer {
  if (body === undefined) return head(url, method, path, headers);
  const content = Buffer.from(JSON.stringify(body));
  const type = { 'Content-Type': 'application/json', 'Content-Length': content.length };
  return Buffer.concat([head(url, method, path, { ...headers, ...type }), content]);
}

/** The bytes of a request up to its body. */
export function head(url: string, method: string, path: string, headers: Headers = {}): Buffer {
  const lines = Object.entries({ Host: new URL(url).host, ...headers });
  const fields = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${fields}\r\n`);
}

/**
 * A crowd of connections to the service, each with one request at a time. It goes below HTTP libraries:
 * whoever offers many times what the service can serve must need much less for a request than the service.
 */
export class Crowd {
  readonly #idle: Socket[] = [];
  readonly #all = new Set<Socket>();
  #tally = emptyTally();
  /** As many connections are made again when they are lost. */
  #wanted = 0;
  /** What is done with a connection that has become free. */
  #whenFree: (socket: Socket) => void = (socket) => this.#idle.push(socket);

  constructor(
    private readonly url: string,
    private readonly requests: Requests,
  ) {}

  /** Each of the connections sends the next request when the last is answered: as fast as it goes. */
  async closedLoop(connections: number, seconds: number): Promise<Load> {
    this.#whenFree = (socket) => this.#ask(socket);
    this.#wanted = connections;
    const begun = this.#begin();
    for (let count = this.#all.size; count < connections; count += 1) this.#connect();
    for (const socket of this.#idle.splice(0)) this.#ask(socket);
    await delay(seconds * 1000);
    return this.#end(begun);
  }

  /**
   * Requests come at a rate, whatever becomes of them. One that finds all connections busy is not sent.
   * @param rate a second
   * @param most connections
   */
  async openLoop(rate: number, most: number, seconds: number): Promise<Load> {
    this.#whenFree = (socket) => this.#idle.push(socket);
    const begun = this.#begin();
    for (let elapsed = 0; elapsed < seconds; elapsed = (performance.now() - begun) / 1000) {
      const due = Math.floor(elapsed * rate) - this.#tally.offered;
      this.#tally.offered += due;
      const free = Math.min(due, this.#idle.length);
      for (const socket of this.#idle.splice(0, free)) this.#ask(socket);
      // New connections come little by little: so many at once would only wait in the kernel.
      const wanted = Math.min(due - free, most - this.#all.size, NEW_AT_ONCE);
      for (let count = 0; count < wanted; count += 1) this.#connect();
      await delay(STEP);
    }
    return this.#end(begun);
  }

  /** Ends all connections, whatever they do. */
  close(): void {
    this.#whenFree = () => {};
    this.#wanted = 0;
    for (const socket of this.#all) socket.destroy();
  }

  #begin(): number {
    this.#tally = emptyTally();
    return performance.now();
  }

  #end(begun: number): Load {
    this.#whenFree = (socket) => this.#idle.push(socket);
    this.#wanted = 0;
    const tally = this.#tally;
    this.#tally = emptyTally();
    const { sent, offered } = tally;
    return {
      ...tally,
      seconds: (performance.now() - begun) / 1000,
      offered: Math.max(sent, offered),
      served: tally.serving.length,
    };
  }

  #ask(socket: Socket): void {
    const reader = readers.get(socket);
    if (!reader || !socket.writable) return;
    this.#tally.sent += 1;
    reader.asked = performance.now();
    socket.write(this.requests());
  }

  #connect(): void {
    const { hostname, port } = new URL(this.url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    const reader = new AnswerReader((status, isLast) => {
      this.#note(status, performance.now() - reader.asked);
      reader.asked = 0;
      if (isLast) socket.destroy();
      else this.#whenFree(socket);
    });
    readers.set(socket, reader);
    this.#all.add(socket);
    socket.once('connect', () => this.#whenFree(socket));
    socket.on('data', (chunk: Buffer) => reader.read(chunk));
    let cause: string | undefined;
    socket.once('error', ({ message }) => {
      cause = message;
    });
    socket.once('close', () => this.#lost(socket, reader.asked > 0, cause));
  }

  #note(status: number, milliseconds: number): void {
    const tally = this.#tally;
    if (status >= 200 && status < 300) tally.serving.push(milliseconds);
    else {
      tally.refusing.push(milliseconds);
      if (status !== 503) tally.others.push(String(status));
    }
  }

  #lost(socket: Socket, wasAsked: boolean, cause: string | undefined): void {
    this.#all.delete(socket);
    const place = this.#idle.indexOf(socket);
    if (place >= 0) this.#idle.splice(place, 1);
    if (wasAsked) this.#tally.others.push(`a connection that ended: ${cause ?? 'closed'}`);
    if (this.#all.size < this.#wanted) this.#connect();
  }
}

/** How long between two looks at what is due, in milliseconds. */
const STEP = 2;
const NEW_AT_ONCE = 20;

const readers = new WeakMap<Socket, AnswerReader>();

function emptyTally() {
  return {
    offered: 0,
    sent: 0,
    others: [] as string[],
    serving: [] as number[],
    refusing: [] as number[],
  };
}
