import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

/** Shorter than servers keep an idle connection, most of them for five seconds, in milliseconds. */
const IDLE_MS = 4000;

const agents = {
  'http:': new HttpAgent({ keepAlive: true, timeout: IDLE_MS }),
  'https:': new HttpsAgent({ keepAlive: true, timeout: IDLE_MS }),
};

/** The statuses of responses without content (RFC 9110, section 6.4.1). */
const WITHOUT_CONTENT: ReadonlySet<number> = new Set([204, 205, 304]);

/** The most interim responses (1xx) before the response. */
const MAX_INTERIM = 16;

/**
 * Sends a request as `fetch` does, over `node:http`: a chunk of an answer costs half of the processor time
 * that it costs over the `fetch` of Node.js. It follows no redirect, and asks for no compression.
 * @param maxBytes the most bytes of a response that are received after its headers, whatever they mean
 * @throws {TypeError} as `fetch` does, with the failure of the connection as its cause
 */
export async function httpFetch(request: Request, maxBytes: number): Promise<Response> {
  const body = Buffer.from(await request.arrayBuffer());
  const message = await send(request, body);
  try {
    return responseOf(message, maxBytes);
  } catch (cause) {
    message.destroy();
    throw new TypeError('fetch failed', { cause });
  }
}

/** @throws if it is not a response that `fetch` could return */
function responseOf(message: IncomingMessage, maxBytes: number): Response {
  const { statusCode: status = 0, headers } = message;
  if (status < 200 || status > 599) {
    throw new ProtocolError('ERR_STATUS', `The status ${status} is not one of HTTP`);
  }
  const { 'content-encoding': coding = 'identity' } = headers;
  if (coding !== 'identity') {
    throw new ProtocolError('ERR_CODING', `The coding ${coding} was not asked for`);
  }
  const content = WITHOUT_CONTENT.has(status) ? null : streamOf(message, maxBytes);
  const response = new Response(content, { status, headers: headersOf(message) });
  // What follows all the same is not read.
  if (!content) message.destroy();
  return response;
}

/** A response that is not as HTTP, or as the request asked for it. */
class ProtocolError extends Error {
  constructor(
    readonly code: 'ERR_STATUS' | 'ERR_CODING' | 'ERR_INTERIM' | 'ERR_BYTES',
    message: string,
  ) {
    super(message);
  }
}

function send(request: Request, body: Buffer): Promise<IncomingMessage> {
  const url = new URL(request.url);
  const options = {
    method: request.method,
    headers: {
      ...Object.fromEntries(request.headers),
      'accept-encoding': 'identity',
      'content-length': body.length,
    },
    signal: request.signal,
  };
  return new Promise((resolve, reject) => {
    const sent =
      url.protocol === 'https:'
        ? httpsRequest(url, { ...options, agent: agents['https:'] })
        : httpRequest(url, { ...options, agent: agents['http:'] });
    sent.once('response', (message) => {
      // Errors are read with the body; before and after, nobody waits for them.
      message.on('error', () => {});
      resolve(message);
    });
    let interim = 0;
    sent.on('information', () => {
      interim += 1;
      if (interim <= MAX_INTERIM) return;
      sent.destroy(new ProtocolError('ERR_INTERIM', `More than ${MAX_INTERIM} interim responses`));
    });
    // Without a listener, Node.js closes the connection and says nothing.
    sent.once('upgrade', (_message, socket) => {
      socket.destroy();
      reject(failure(new ProtocolError('ERR_STATUS', 'The status 101 was not asked for'), request));
    });
    // Names the request, whose signal follows that of the caller for as long as it is in use.
    sent.on('error', (cause) => reject(failure(cause, request)));
    sent.end(body);
  });
}

function failure(cause: Error, { signal }: Request): unknown {
  return signal.aborted ? signal.reason : new TypeError('fetch failed', { cause });
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  }
  return headers;
}

/**
 * Returns the body as a stream that is read on demand. What arrives between two reads waits in the
 * system, and comes in one piece, which costs little however many chunks it was. The form of the
 * chunks counts, too: a chunk of one byte may have 16 KiB of extensions.
 */
function streamOf(message: IncomingMessage, maxBytes: number): ReadableStream<Uint8Array> {
  const { socket } = message;
  const end = socket.bytesRead + maxBytes;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    for (;;) {
      if (socket.bytesRead > end) {
        message.destroy();
        const cause = new ProtocolError('ERR_BYTES', `The body has more than ${maxBytes} bytes`);
        throw new TypeError('terminated', { cause });
      }
      const bytes: Buffer | null = message.read();
      if (bytes !== null) {
        socket.pause();
        return controller.enqueue(bytes);
      }
      if (message.readableEnded) return controller.close();
      socket.resume();
      await change(message);
    }
  };
  return new ReadableStream(
    {
      pull,
      cancel: () => {
        message.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * Waits until a message has more to read, or has ended.
 * @throws {TypeError} as `fetch` does, if the connection breaks
 */
function change(message: IncomingMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (cause?: Error) => {
      message.off('readable', onChange).off('end', onChange).off('close', onClose);
      message.off('error', settle);
      if (cause) reject(new TypeError('terminated', { cause }));
      else resolve();
    };
    const onChange = () => settle();
    const onClose = () => settle(message.complete ? undefined : new Error('closed'));
    if (message.closed) return onClose();
    message.on('readable', onChange).on('end', onChange).on('close', onClose);
    message.on('error', settle);
  });
}
