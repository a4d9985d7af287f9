import { expect, test } from 'vitest';
import { Written } from '../../../../testkit/prediction/hostile-files.js';
import { decompress } from './codecs.js';

const ZSTANDARD = 6;

/** A frame of one run and one text as they are, whose header has no size unless it is given. */
function frameOf(run: number, text: string, size?: number): Uint8Array {
  const out = new Written().little(0xfd2fb528, 4);
  if (size === undefined) out.bytes([0, 0x58]);
  else out.bytes([0xa0]).little(size, 4);
  out.little(run * 8 + 2, 3).bytes([0x61]);
  return out
    .little(text.length * 8 + 1, 3)
    .bytes(Buffer.from(text))
    .done();
}

test.each([undefined, 1003])('a frame of Zstandard is read whose size is %s', (size) => {
  const read = decompress(frameOf(1000, 'bcd', size), ZSTANDARD, 1003);
  expect(Buffer.from(read).toString()).toBe(`${'a'.repeat(1000)}bcd`);
});

test.each([
  ['end early', 999, 'bcd'],
  ['end much too early', 10, ''],
  ['are too long', 1001, 'bcd'],
  ['are too long by a run', 2000, ''],
])('a frame of Zstandard is refused whose data %s', (_, run, text) => {
  for (const size of [undefined, 1003]) {
    const read = () => decompress(frameOf(run, text, size), ZSTANDARD, 1003);
    expect(read).toThrow('not a whole block of the codec Zstandard');
  }
});

test('a frame of Zstandard that is cut off is refused', () => {
  const frame = frameOf(1000, 'bcd');
  for (let length = 0; length < frame.length; length++) {
    expect(() => decompress(frame.subarray(0, length), ZSTANDARD, 1003)).toThrow('Zstandard');
  }
});
