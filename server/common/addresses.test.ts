import { expect, test } from 'vitest';
import { subscriberOf } from './addresses.js';

test.each([
  ['93.184.215.14', '93.184.215.14'],
  ['::ffff:93.184.215.14', '::ffff:93.184.215.14'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::6', '2001:db8:1:2'],
  ['2001:db8::3:4:5:6', '2001:db8:0:0'],
  ['2001:db8:1::3:4:5:6', '2001:db8:1:0'],
  ['2001:db8::', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['', ''],
])('the subscriber of %s is %s', (address, subscriber) => {
  expect(subscriberOf(address)).toBe(subscriber);
});
