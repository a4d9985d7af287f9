const JSON_MEDIA_TYPE = /^application\/json\b/i;

/**
 * Writes a body as its `Content-Type` says: as JSON where the header names JSON or is not sent, else
 * as it is. Text, a Blob or a stream that is called neither `text/csv` nor `application/x-ndjson` is a
 * mistake that the service could only describe as an array that is missing; here it gets its own words.
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
