import { connect, type Socket } from 'node:net';

/** A TCP connection that sends any bytes, and reads the status of the first answer. */
export class RawConnection {
  readonly #socket: Socket;
  /** The status of the first answer; undefined if the connection ends without one. */
  readonly status: Promise<number | undefined>;
  /** Resolves when the connection has ended, from either side. */
  readonly closed: Promise<void>;

  /** @param options whether what arrives is read; else it fills the buffers, and there is no status */
  constructor(url: string, { isRead = true }: { readonly isRead?: boolean } = {}) {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket = socket;
    socket.on('error', () => {});
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    this.status = new Promise((resolve) => {
      if (isRead) {
        socket.once('data', (chunk: Buffer) => {
          resolve(Number(chunk.toString('latin1', 9, 12)));
          socket.resume();
        });
      }
      socket.once('close', () => resolve(undefined));
    });
  }

  get isOpen(): boolean {
    return this.#socket.writable;
  }

  /**
   * Sends bytes, and waits until the socket accepts more.
   * @returns whether the connection is still open
   */
  async send(bytes: Uint8Array | string): Promise<boolean> {
    if (!this.isOpen) return false;
    if (this.#socket.write(bytes)) return true;
    await new Promise<void>((resolve) => {
      const done = () => {
        this.#socket.off('drain', done).off('close', done);
        resolve();
      };
      this.#socket.on('drain', done).on('close', done);
    });
    return this.isOpen;
  }

  close(): void {
    this.#socket.destroy();
  }
}
