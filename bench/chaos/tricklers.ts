import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** The time between two bytes on a connection, in milliseconds. */
const BETWEEN = 1000;

/** The beginnings of slow requests; the rest follows one byte at a time. */
const BEGINNINGS = [
  { head: 'GET /projects HTTP/1.1\r\nHost: roster\r\nX-Slow: ', byte: 'a' },
  {
    head: 'POST /projects/default/skills HTTP/1.1\r\nHost: roster\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{"skill":{"name":"',
    byte: 'a',
  },
  { head: 'GET /projects HTTP/1.1\r\nHost: roster\r\nX-Slow: ', byte: 'a' },
  {
    head: 'PUT /api/projects/default/models/slow?target=y HTTP/1.1\r\nHost: roster\r\nContent-Type: text/csv\r\nContent-Length: 1000000\r\n\r\nx,y\n',
    byte: '1',
  },
];

/** Connections that each send a little now and then, forever: half of them headers, half of them a body. */
export class Tricklers {
  readonly #sockets = new Set<Socket>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #closed = false;

  private constructor(private readonly url: string) {}

  /** Opens the given number of connections, and waits until they are established. */
  static async open(url: string, count: number): Promise<Tricklers> {
    const tricklers = new Tricklers(url);
    for (let opened = 0; opened < count; opened += 1) {
      await once(tricklers.#open(opened), 'connect');
    }
    return tricklers;
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Opens a connection, and replaces it if the service closes it. */
  #open(number: number): Socket {
    const { hostname, port } = new URL(this.url);
    const socket = connect(Number(port), hostname);
    const { head, byte } = BEGINNINGS[number % BEGINNINGS.length] ?? { head: '', byte: '' };
    socket.write(head);
    const trickling = setInterval(() => socket.write(byte), BETWEEN);
    this.#timers.add(trickling);
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.resume();
    socket.once('close', () => {
      clearInterval(trickling);
      this.#timers.delete(trickling);
      this.#sockets.delete(socket);
      if (!this.#closed) this.#open(number);
    });
    return socket;
  }
}
