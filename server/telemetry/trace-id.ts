import type { ServerResponse } from 'node:http';

const traceIds = new WeakMap<ServerResponse, string>();

/** Notes the trace that a request is part of, for the lines of the log. */
export function noteTraceId(res: ServerResponse, traceId: string): void {
  traceIds.set(res, traceId);
}

/** The id of the trace that a request is part of, 32 hexadecimal digits, if it is part of one. */
export function traceIdOf(res: ServerResponse): string | undefined {
  return traceIds.get(res);
}
