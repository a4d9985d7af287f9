import type { Model } from 'roster-client';

/** The longest name of a model in an address, with its version. */
const MAX_NAME_LENGTH = 100;

/** Returns the name of a version in addresses, so that all requests are answered by the same one. */
export function pinnedName({ name, version }: Model): string {
  const pinned = `${name}.${version}`;
  return pinned.length <= MAX_NAME_LENGTH ? pinned : name;
}
