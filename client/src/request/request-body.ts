const JSON_MEDIA_TYPE = /^application\/json\b/i;

/**
 * Serializes a body as its `Content-Type` says: as JSON if the header names JSON or is missing,
 * else unchanged. Refuses text, a Blob or a stream without `text/csv` or `application/x-ndjson`,
 * since the service could report it only as a missing array.
 */
export function serializeBody(body: unknown, headers?: Headers): unknown {
  const mediaType = headers?.get('Content-Type') ?? 'application/json';
  if (!JSON_MEDIA_TYPE.test(mediaType)) {
    return body;
  }
  if (typeof body === 'string' || body instanceof Blob || body instanceof ReadableStream) {
    throw new TypeError(
      "A table as text, Blob or stream is sent with headers: { 'Content-Type': 'text/csv' }, rows as lines with 'application/x-ndjson'",
    );
  }
  return JSON.stringify(body);
}
