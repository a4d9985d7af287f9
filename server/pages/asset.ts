import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { RequestHandler } from 'express';
import { onResponseClose } from '../edge/connections.js';

const compress = promisify(gzip);

/** A static file that is served to everyone. */
export interface Asset {
  /** Its media type. */
  readonly type: string;
  /** The Content-Security-Policy of a page; other assets get the service's own policy. */
  readonly policy?: string;
  /** Whether the content never changes, so that caches need not ask again. */
  readonly isImmutable?: boolean;
  /** Returns the content. Called at the first request, and then cached. */
  read(): string | Buffer | Promise<string | Buffer>;
}

/** A representation of an asset (RFC 9110, section 8.8.3.3), with its own entity tag. */
interface Representation {
  readonly body: Buffer;
  readonly etag: string;
}

interface Representations {
  readonly plain: Representation;
  readonly gzip: Representation;
}

/**
 * The longest time to send a response, in milliseconds. These are the largest responses that need
 * no key; a client that does not read one would otherwise keep its connection forever.
 */
const SENDING_TIMEOUT_MS = 120_000;

/**
 * Serves an asset from memory, compressed for clients that accept it. Browsers cache it and
 * revalidate each time, so that a new release is visible at once, unless it is immutable.
 */
export function serve({ type, policy, isImmutable, read }: Asset): RequestHandler {
  const caching = isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache';
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
    onResponseClose(req, res, () => clearTimeout(patience));
    if (policy) res.set('Content-Security-Policy', policy);
    if (isCompressed) res.set('Content-Encoding', 'gzip');
    res.set({ ETag: etag, 'Cache-Control': caching }).vary('Accept-Encoding').type(type);
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
 * Compares tags as in RFC 9110, section 13.1.2. Express alone ignores If-None-Match if the request
 * also has `Cache-Control: no-cache`, which fetch adds.
 */
function isNamed(etag: string, field = ''): boolean {
  return field === '*' || (field.match(/"[^"]*"/g) ?? []).some((named) => named === etag);
}
