import { expect, test } from 'vitest';
import { Store } from '../index.js';

test.each([
  'postgresql://ann:secret@one,two/db?target_session_attrs=read-write',
  'postgres://ann:secret@one:5432,two:5433/db',
  'postgres://one,two',
])('an address with several hosts is refused, with what to do: %s', async (url) => {
  const refused = Store.open(url);
  await expect(refused).rejects.toThrow('it names several hosts; name one');
  await expect(refused).rejects.not.toThrow('secret');
});

test.each(['postgres://ann:a,b@127.0.0.1:1/db', 'postgres://ann:a%2Cb@127.0.0.1:1/db'])(
  'a comma in a password is none between hosts: %s',
  async (url) => {
    await expect(Store.open(url)).rejects.not.toThrow('several hosts');
  },
);

test('a password that is not escaped is refused as such', async () => {
  await expect(Store.open('postgres://ann:a,b/c@one/db')).rejects.toThrow('it is not a URL');
});
