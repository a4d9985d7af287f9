import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/**
 * Preloaded into the service. Replies to `parse and stringify` and two files with the number of times a second
 * that this process can JSON.parse the bytes of the first and JSON.stringify the contents of the second to
 * bytes, while it does nothing else.
 */
const MILLISECONDS = 3000;

// Worker threads load this module as well.
if (isMainThread) {
  process.on('message', (question) => {
    const [, body, answer] = /^parse and stringify (\S+) (\S+)$/.exec(String(question)) ?? [];
    if (body && answer) process.send?.(timesASecond(readFileSync(body), readFileSync(answer)));
  });
  // Does not keep the service from exiting.
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
