const JSON_MEDIA_TYPE = /^application\/json\b/i;

/**
 * Serializes a body as its `Content-Type` says: as JSON if the header names JSON or is missing,
 * else unchanged. A Blob or a stream is JSON already if the header says so. Refuses text without
 * `text/csv` or `application/x-ndjson`, and a Blob or a stream without a header, since the service
 * could report it only as a missing array.
 */
export function serializeBody(body: unknown, headers?: Headers): unknown {
  const mediaType = headers?.get('Content-Type') ?? null;
  if (mediaType !== null && !JSON_MEDIA_TYPE.test(mediaType)) {
    return body;
  }
  const isBytes = body instanceof Blob || body instanceof ReadableStream;
  if (isBytes && mediaType !== null) return body;
  if (isBytes || typeof body === 'string') {
    throw new TypeError(
      "A table as text, Blob or stream is sent with headers: { 'Content-Type': 'text/csv' }, rows as lines with 'application/x-ndjson'",
    );
  }
  return JSON.stringify(body);
}
