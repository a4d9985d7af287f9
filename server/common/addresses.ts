import { isIPv6 } from 'node:net';

/** Returns whether a host, as in a URL or in `HOST`, is this machine. */
export function isLoopback(host: string): boolean {
  return /^(localhost|\[?::1\]?|127(\.\d{1,3}){3})$/i.test(host);
}

/** Returns the part of an IP address that identifies a subscriber: all of IPv4, the first 64 bits of IPv6. */
export function subscriberOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address;
  const [before = '', after] = address.split('::');
  const head = before === '' ? [] : before.split(':');
  const tail = after ? after.split(':') : [];
  const zeros = after === undefined ? 0 : 8 - head.length - tail.length;
  return [...head, ...Array.from({ length: zeros }, () => '0'), ...tail].slice(0, 4).join(':');
}

/** Returns whether a text is an address of HTTP without a user, a password and a fragment. */
export function isHttpAddress(text: string): boolean {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return false;
  const { username, password, hash } = new URL(text);
  return username + password + hash === '';
}

/** Returns whether a text is an address of https; http will do on the own machine. */
export function isSecureAddress(text: string | undefined): text is string {
  if (text === undefined || !isHttpAddress(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || isLoopback(hostname);
}
