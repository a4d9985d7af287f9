import autocannon from 'autocannon';
import type { Fired, Order } from './load.js';

/** The load process: carries out each order that it receives, and replies with the result. */
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
