import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { RequestHandler } from 'express';
import { atClose } from '../http/on-response-close.js';

const compress = promisify(gzip);

/** Something that is served as it is, to everyone alike. */
export interface Asset {
  /** Its media type. */
  readonly type: string;
  /** The Content-Security-Policy of a page; without one it is data, by the service's own policy. */
  readonly policy?: string;
  /** Gives what is served. Called at the first request; what it gives is kept. */
  read(): string | Buffer | Promise<string | Buffer>;
}

/** One representation of an asset (RFC 9110, section 8.8.3.3): each has an entity tag of its own. */
interface Representation {
  readonly body: Buffer;
  readonly etag: string;
}

interface Representations {
  readonly plain: Representation;
  readonly gzip: Representation;
}

/**
 * How long an answer may take to go out, in milliseconds. These are the largest answers that nobody needs
 * a key for: whoever does not take them would keep a connection for ever.
 */
const SENDING_TIMEOUT_MS = 120_000;

/**
 * Serves an asset out of memory, compressed for those who take it so. Browsers keep it and ask each time
 * whether it is still the same, so that a new release is seen at once.
 */
export function serve({ type, policy, read }: Asset): RequestHandler {
  let kept: Promise<Representations> | undefined;
  const representations = async (): Promise<Representations> => {
    kept ??= represent(read);
    try {
      return await kept;
    } catch (error) {
      kept = undefined;
      throw error;
    }
  };
  return async (req, res) => {
    const { plain, gzip } = await representations();
    const isCompressed = req.acceptsEncodings('gzip', 'identity') === 'gzip';
    const { body, etag } = isCompressed ? gzip : plain;
    const patience = setTimeout(() => res.destroy(), SENDING_TIMEOUT_MS).unref();
    atClose(req, res, () => clearTimeout(patience));
    if (policy) res.set('Content-Security-Policy', policy);
    if (isCompressed) res.set('Content-Encoding', 'gzip');
    res.set({ ETag: etag, 'Cache-Control': 'no-cache' }).vary('Accept-Encoding').type(type);
    if (isNamed(etag, req.get('If-None-Match'))) res.status(304).end();
    else res.send(body);
  };
}

async function represent(read: Asset['read']): Promise<Representations> {
  const plain = Buffer.from(await read());
  const gzip = await compress(plain);
  const digest = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  return {
    plain: { body: plain, etag: `"${digest}"` },
    gzip: { body: gzip, etag: `"${digest}-gzip"` },
  };
}

/**
 * RFC 9110, section 13.1.2. Express alone would leave it unheeded beside a `Cache-Control: no-cache`, which
 * fetch adds to it.
 */
function isNamed(etag: string, field = ''): boolean {
  return field === '*' || (field.match(/"[^"]*"/g) ?? []).some((named) => named === etag);
}
