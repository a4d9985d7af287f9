import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { startTracing } from './tracing.js';

describe.each(['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'])('a malformed %s', (name) => {
  test.each(['localhost:4318', 'http://', 'ftp://localhost'])('as %s is refused', async (address) => {
    const start = startTracing({ [name]: address }, pino({ level: 'silent' }));
    await expect(start).rejects.toThrow(`${name} must be an address that begins with http://`);
  });
});
