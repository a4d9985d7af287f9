import type { autocannon as Autocannon } from 'autocannon';
import { requireFrom } from '../../tools/on-demand/installed.js';
import type { Fired, Order } from './load.js';

const autocannon: typeof Autocannon = requireFrom('bench')('autocannon');

/** The process that sends requests: it fires each order that it is sent, and tells what came of it. */
const SAMPLE_EVERY = 20;

process.on('message', async (order: Order) => {
  const { duration, errors, statusCodeStats } = await autocannon({
    ...order,
    sampleInt: SAMPLE_EVERY,
    idReplacement: order.body?.includes('[<id>]') ?? false,
  });
  const answered = Object.entries(statusCodeStats).map(([status, { count }]) => ({
    status: Number(status),
    count,
  }));
  process.send?.({ seconds: duration, errors, answered } satisfies Fired);
});
