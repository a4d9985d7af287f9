import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { RequestHandler } from 'express';
import { namesTag, weakly } from '../api/preconditions.js';
import { Exchange } from '../edge/exchange.js';

const compress = promisify(gzip);

export interface Asset {
  /** The media type, or the ending of a file that has it. */
  readonly type: string;
  /** The Content-Security-Policy of a page; other assets get the service's own policy. */
  readonly policy?: string;
  /** True if the content never changes, so that caches need not ask again. */
  readonly isImmutable?: boolean;
  /** Returns the content. Called at the first request, and then cached. */
  read(): string | Buffer | Promise<string | Buffer>;
}

/** Returns the asset of a file that the build makes. */
export function fileAsset(file: URL, options: Pick<Asset, 'policy' | 'isImmutable'> = {}): Asset {
  const ending = extname(file.pathname);
  const type = ending === '.yaml' ? 'application/yaml' : ending;
  return { ...options, type, read: () => readFile(file) };
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
  let content: ReturnType<typeof readContent> | undefined;
  return async (req, res) => {
    content ??= readContent(read).catch((error) => {
      content = undefined;
      throw error;
    });
    const { plain, compressed, digest } = await content;
    // Each representation has its own entity tag (RFC 9110, section 8.8.3.3).
    const isCompressed = req.acceptsEncodings('gzip', 'identity') === 'gzip';
    const etag = isCompressed ? `"${digest}-gzip"` : `"${digest}"`;
    const patience = setTimeout(() => res.destroy(), SENDING_TIMEOUT_MS).unref();
    Exchange.of(res).onClose(() => clearTimeout(patience));
    if (policy) res.set('Content-Security-Policy', policy);
    if (isCompressed) res.set('Content-Encoding', 'gzip');
    res.set({ ETag: etag, 'Cache-Control': caching }).vary('Accept-Encoding').type(type);
    // Express alone ignores If-None-Match if the request also has `Cache-Control: no-cache`, which fetch adds.
    if (namesTag(req.get('If-None-Match') ?? '', etag, weakly)) res.status(304).end();
    else res.send(isCompressed ? compressed : plain);
  };
}

async function readContent(read: Asset['read']) {
  const plain = Buffer.from(await read());
  const digest = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  return { plain, compressed: await compress(plain), digest };
}
