import { expect, test } from 'vitest';
import { isPublicAddress } from './client-documents.js';

test.each([
  ...['8.8.8.8', '93.184.215.14', '172.32.0.1', '192.169.0.1', '223.255.255.254'],
  ...['2001:4860:4860::8888', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
])('the world can reach %s', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  ...['0.0.0.0', '10.1.2.3', '100.127.255.255', '127.0.0.1', '169.254.169.254', '172.31.0.1'],
  ...['192.0.2.1', '192.168.0.1', '198.19.0.1', '203.0.113.9', '224.0.0.1', '255.255.255.255'],
  ...['::', '::1', '::127.0.0.1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '64:ff9b::7f00:1'],
  ...['64:ff9b:1::1', '100::1', '2001::1', '2001:db8::1', '2002:7f00:1::', '3fff::1', '5f00::1'],
  ...['fc00::1', 'fd00:ec2::254', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', 'localhost', ''],
])('only some can reach %s', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});
