const END_OF_HEADERS = Buffer.from('\r\n\r\n');
/** The last chunk, after the end of the chunk or the headers before it; a chunk of CSV may itself end with `0`. */
const END_OF_CHUNKS = Buffer.from('\r\n0\r\n\r\n');

/**
 * Parses the answers on one connection as far as a load generator needs: their status, and where they end (RFC
 * 9112, section 6). The connection has one request at a time, so an answer ends with the bytes that have
 * arrived.
 */
export class AnswerReader {
  /** The time at which the pending request was sent; 0 if there is none. */
  asked = 0;
  #status = 0;
  /** The number of bytes still to come; undefined for chunks. */
  #left: number | undefined = 0;
  #isLast = false;
  #unread: Buffer | undefined;

  /** @param answered called with each answer's status, and whether the connection ends with it */
  constructor(private readonly answered: (status: number, isLast: boolean) => void) {}

  read(chunk: Buffer): void {
    if (this.#status > 0) this.#readBody(chunk);
    else this.#readHeaders(this.#unread ? Buffer.concat([this.#unread, chunk]) : chunk);
  }

  #readHeaders(bytes: Buffer): void {
    const end = bytes.indexOf(END_OF_HEADERS);
    this.#unread = end < 0 ? bytes : undefined;
    if (end < 0) return;
    const headers = bytes.toString('latin1', 0, end);
    this.#status = Number(headers.slice(9, 12));
    this.#isLast = /\r\nconnection: close/i.test(headers);
    const length = /\r\ncontent-length: *(\d+)/i.exec(headers)?.[1];
    const isChunked = /\r\ntransfer-encoding: *chunked/i.test(headers);
    this.#left = length === undefined && isChunked ? undefined : Number(length ?? 0);
    this.#readBody(bytes.subarray(end + END_OF_HEADERS.length));
  }

  #readBody(bytes: Buffer): void {
    if (this.#left === undefined) {
      // The last chunk may itself arrive in pieces.
      const size = END_OF_CHUNKS.length;
      const before = this.#unread ?? END_OF_CHUNKS.subarray(0, 2);
      const tail = Buffer.concat([before, bytes.subarray(-size)]).subarray(-size);
      this.#unread = tail;
      if (!tail.equals(END_OF_CHUNKS)) return;
    } else {
      this.#left -= bytes.length;
      if (this.#left > 0) return;
    }
    const status = this.#status;
    this.#status = 0;
    this.#unread = undefined;
    this.answered(status, this.#isLast);
  }
}
