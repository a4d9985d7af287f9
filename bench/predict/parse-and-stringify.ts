import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded into the service before it starts: tells, when it is asked to `parse and stringify` two files, how often a
 * second this process can do no more than JSON.parse the bytes of the one and JSON.stringify what the other
 * holds to bytes.
 */
const MILLISECONDS = 3000;

// Threads load it as well.
if (isMainThread) {
  process.on('message', (question) => {
    const [, body, answer] = /^parse and stringify (\S+) (\S+)$/.exec(String(question)) ?? [];
    if (body && answer) process.send?.(timesASecond(readFileSync(body), readFileSync(answer)));
  });
  // It does not keep the service from ending.
  process.channel?.unref();
}

function timesASecond(body: Buffer, answer: Buffer): number {
  const objects: unknown = JSON.parse(answer.toString());
  const begun = performance.now();
  let times = 0;
  for (; performance.now() - begun < MILLISECONDS; times++) {
    JSON.parse(body.toString());
    Buffer.from(JSON.stringify(objects));
  }
  return (times * 1000) / (performance.now() - begun);
}
