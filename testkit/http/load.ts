import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { AnswerReader } from './answer-reader.js';
import type { Headers } from './client.js';

/** The outcome of the requests during a measurement. */
export interface Load {
  /** The duration of the measurement, in seconds. */
  readonly seconds: number;
  /** The number of requests that were due. */
  readonly offered: number;
  /** The number of requests that were sent: those for which a connection was free. */
  readonly sent: number;
  /** The number of 2xx answers. */
  readonly served: number;
  /**
   * The times from the first byte of a request to the last of its answer, in milliseconds, for 2xx and for
   * other answers.
   */
  readonly serving: readonly number[];
  readonly refusing: readonly number[];
  /** Outcomes other than 2xx and 503: another status, or the end of the connection. */
  readonly others: readonly string[];
}

/** Returns the bytes of the next request. */
export type Requests = () => Buffer;

/** Returns the bytes of a request. A body is sent as JSON. */
export function wire(url: string, method: string, path: string, body?: unknown, headers: Headers = {}): Buffer {
  if (body === undefined) return head(url, method, path, headers);
  const content = Buffer.from(JSON.stringify(body));
  return wireBytes(url, method, path, content, { ...headers, 'Content-Type': 'application/json' });
}

/** Returns the bytes of a request with a body of any type. */
export function wireBytes(url: string, method: string, path: string, body: Buffer, headers: Headers): Buffer {
  const length = { 'Content-Length': body.length };
  return Buffer.concat([head(url, method, path, { ...headers, ...length }), body]);
}

/** Returns the bytes of a request without its body. */
export function head(url: string, method: string, path: string, headers: Headers = {}): Buffer {
  const lines = Object.entries({ Host: new URL(url).host, ...headers });
  const fields = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${fields}\r\n`);
}

/**
 * Many connections to the service, each with one request at a time. Uses sockets instead of an HTTP library: a
 * load that exceeds the capacity of the service must cost far less per request than serving it.
 */
export class Crowd {
  readonly #idle: Socket[] = [];
  readonly #all = new Set<Socket>();
  #tally = emptyTally();
  /** The number of connections; lost ones are replaced. */
  #wanted = 0;
  /** Handles a connection that has become free. */
  #whenFree: (socket: Socket) => void = (socket) => this.#idle.push(socket);

  constructor(
    private readonly url: string,
    private readonly requests: Requests,
  ) {}

  /** Sends the next request on each connection as soon as the last one is answered. */
  async closedLoop(connections: number, seconds: number): Promise<Load> {
    this.#whenFree = (socket) => this.#ask(socket);
    this.#wanted = connections;
    const begun = this.#begin();
    for (let count = this.#all.size; count < connections; count += 1) this.#connect();
    for (const socket of this.#idle.splice(0)) this.#ask(socket);
    await delay(seconds * 1000);
    return this.#end(begun);
  }

  /** Sends a number of requests, each as soon as a connection is free, and waits for all answers. */
  async fixedCount(connections: number, count: number): Promise<Load> {
    this.#wanted = connections;
    const begun = this.#begin();
    await new Promise<void>((resolve) => {
      this.#whenFree = (socket) => {
        if (this.#tally.sent < count) {
          this.#ask(socket);
          return;
        }
        this.#idle.push(socket);
        if (this.#idle.length === this.#all.size) resolve();
      };
      for (let opened = this.#all.size; opened < connections; opened += 1) this.#connect();
      for (const socket of this.#idle.splice(0)) this.#whenFree(socket);
    });
    return this.#end(begun);
  }

  /**
   * Sends requests at a fixed rate. A request for which no connection is free is dropped.
   * @param rate requests a second
   * @param most the maximum number of connections
   */
  async openLoop(rate: number, most: number, seconds: number): Promise<Load> {
    this.#whenFree = (socket) => this.#idle.push(socket);
    const begun = this.#begin();
    for (let elapsed = 0; elapsed < seconds; elapsed = (performance.now() - begun) / 1000) {
      const due = Math.floor(elapsed * rate) - this.#tally.offered;
      this.#tally.offered += due;
      const free = Math.min(due, this.#idle.length);
      for (const socket of this.#idle.splice(0, free)) this.#ask(socket);
      // New connections are opened gradually: many at once would only wait in the kernel.
      const wanted = Math.min(due - free, most - this.#all.size, NEW_AT_ONCE);
      for (let count = 0; count < wanted; count += 1) this.#connect();
      await delay(STEP);
    }
    return this.#end(begun);
  }

  /** Closes all connections, even during a request. */
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

/** The interval at which due requests are sent, in milliseconds. */
const STEP = 2;
const NEW_AT_ONCE = 20;

const readers = new WeakMap<Socket, AnswerReader>();

function emptyTally() {
  return { offered: 0, sent: 0, others: [] as string[], serving: [] as number[], refusing: [] as number[] };
}
