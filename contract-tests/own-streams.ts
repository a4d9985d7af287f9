import { afterEach } from 'vitest';
import { OpenStream } from '../testkit/http/open-stream.js';
import { baseUrl, keys } from './target.js';

/** Returns a function that opens prediction streams at an address of the target. Each test ends its own. */
export function ownStreams(): (address: string, key?: string) => OpenStream {
  const opened: OpenStream[] = [];
  afterEach(() => {
    for (const stream of opened.splice(0)) stream.break();
  });
  return (address, key = keys.own) => {
    const stream = new OpenStream(baseUrl + address, key);
    opened.push(stream);
    return stream;
  };
}
