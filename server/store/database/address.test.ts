import { expect, test } from 'vitest';
import { Store } from '../index.js';
import { readHosts, withoutCredentials } from './address.js';

/** All visible characters of ASCII, and the space. */
const EVERY_CHARACTER = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('');

test.each([
  ['postgres://ann:a%2Cb@one/db', ['postgres://ann:a%2Cb@one/db']],
  ['postgres://one,two', ['postgres://one', 'postgres://two']],
  ['postgresql://ann:a,b@one:1,two:2/db', ['postgresql://ann:a,b@one:1/db', 'postgresql://ann:a,b@two:2/db']],
  // As libpq reads it: a port is that of its host alone.
  ['postgres://one,two:2/db', ['postgres://one/db', 'postgres://two:2/db']],
  ['postgres://one,two/db?port=7', ['postgres://one/db?port=7', 'postgres://two/db?port=7']],
  ['postgres://one,[::1]/db?port=7,8', ['postgres://one:7/db', 'postgres://[::1]:8/db']],
  ['postgres://one,two/db?sslmode=disable', ['postgres://one/db?sslmode=disable', 'postgres://two/db?sslmode=disable']],
])('an address is read with all of its hosts: %s', (url, urls) => {
  expect(readHosts(url).urls).toEqual(urls);
});

test.each([
  ['postgres://one/db', 'any'],
  ['postgres://one,two/db', 'read-write'],
  ['postgres://one,two/db?target_session_attrs=any', 'any'],
  ['postgres://one/db?target_session_attrs=read-write', 'read-write'],
  ['postgres://one,two/db?load_balance_hosts=disable&target_session_attrs=primary', 'primary'],
])('one of several hosts has to take writes, unless the address says otherwise: %s', (url, target) => {
  const { urls, target: found } = readHosts(url);
  expect(found).toBe(target);
  expect(urls.join()).not.toContain('?');
});

test.each([
  ['one,two/db?target_session_attrs=standby', 'must be any, read-write or primary, not standby'],
  ['one/db?target_session_attrs=prefer-standby', 'must be any, read-write or primary, not prefer-standby'],
  ['one,two/db?target_session_attrs=', 'must be any, read-write or primary'],
  ['one,two/db?load_balance_hosts=random', 'load_balance_hosts must be disable'],
  ['one,two,three/db?port=1,2', 'its option port must have one number, or one for each host'],
  ['one,two/db?port=1,x', 'its option port must have one number, or one for each host'],
  ['one,,two/db', 'one of its hosts has no name'],
  ['one,:5432/db', 'one of its hosts has no name'],
  ['one/db?host=two,three', 'several hosts are named before the database'],
  [`${Array.from({ length: 9 }, (_, index) => `h${index}`)}/db`, 'it names 9 hosts; name at most 8'],
  ['one:x,two/db', 'it is not a URL'],
])('an address that cannot be used is refused, with what to do: %s', async (place, reason) => {
  const refused = Store.open(`postgres://ann:secret@${place}`);
  await expect(refused).rejects.toThrow(reason);
  await expect(refused).rejects.not.toThrow('secret');
});

test.each([
  'postgres://ann:a,b/c@one/db',
  'postgres://ann:p@a,b/c@one/db',
  'postgres://ann:a,b?c@one,two/db',
  'postgres://ann:1,b?c@one,two/db',
])('a password that is not escaped is refused as such, and not shown: %s', async (url) => {
  await expect(Store.open(url)).rejects.toThrow(
    'the store postgres://… (DATABASE_URL) cannot be opened: it is not a URL',
  );
});

test('an address whose password may end after the host is not shown', () => {
  expect(withoutCredentials('postgres://ann:p@1/x@one/db')).toBe('postgres://…');
});

test('an address is shown with its hosts, and without the password, whatever characters that has', () => {
  const url = `postgres://ann:${encodeURIComponent(EVERY_CHARACTER)}@one:1,two/db?sslmode=verify-full`;
  expect(withoutCredentials(url)).toBe('postgres://one:1,two/db');
  expect(readHosts(url).urls.map((one) => decodeURIComponent(new URL(one).password))).toEqual([
    EVERY_CHARACTER,
    EVERY_CHARACTER,
  ]);
});
