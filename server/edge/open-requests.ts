import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The connections of a server, and the requests that it has not answered yet. */
export class OpenRequests {
  readonly #connections = new Set<Socket>();
  readonly #responses = new Set<ServerResponse>();
  #isDraining = false;

  /** The number of requests that are not answered yet. */
  get count(): number {
    return this.#responses.size;
  }

  addConnection(connection: Socket): void {
    this.#connections.add(connection);
    connection.once('close', () => this.#connections.delete(connection));
  }

  /** Watches the requests of a listener. Each must have a connection: none waits for another. */
  watch(listener: RequestListener): RequestListener {
    const responses = this.#responses;
    function remove(this: ServerResponse): void {
      responses.delete(this);
    }
    return (req, res) => {
      responses.add(res);
      res.on('close', remove);
      if (this.#isDraining) res.shouldKeepAlive = false;
      listener(req, res);
    };
  }

  /**
   * From now on, each answer is the last on its connection and says so (`Connection: close`), so that
   * no client sends a request on a connection that is about to be closed.
   */
  drain(): void {
    this.#isDraining = true;
    for (const res of this.#responses) if (!res.headersSent) res.shouldKeepAlive = false;
  }

  /** Closes the connections without a request. */
  closeUnused(): void {
    const used = new Set([...this.#responses].map(({ req }) => req.socket));
    for (const connection of this.#connections) if (!used.has(connection)) connection.destroy();
  }
}
