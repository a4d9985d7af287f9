import { FOREIGN_ERRORS, READS, SENDS } from '../../../generated/media-types.js';

type Reading = keyof typeof READS;

/** How the answer of an operation is read if the call does not say: JSON, or as the contract asks. */
export type DefaultReading<Method extends string, Path extends string> = {
  [Way in Reading]: `${Uppercase<Method>} ${Path}` extends (typeof READS)[Way][number] ? Way : never;
}[Reading] extends infer Way extends Reading
  ? [Way] extends [never]
    ? 'json'
    : Way
  : 'json';

/** How the body, the answer and the errors of an operation differ from JSON, JSON and problems. */
export interface MediaTypes {
  /** The media type of the body; undefined if it is JSON. */
  readonly sends: string | undefined;
  /** How the answer is read; undefined if it is JSON. */
  readonly reads: Reading | undefined;
  /** True if errors are those of another protocol. Such an operation may also answer with nothing. */
  readonly isForeign: boolean;
}

/** Returns the media types of an operation, such as `GET` of `/metrics`. */
export function mediaTypesOf(method: string, path: string): MediaTypes {
  const key = `${method} ${path}`;
  const find = <Group extends string>(groups: Readonly<Record<Group, readonly string[]>>) =>
    (Object.keys(groups) as Group[]).find((group) => groups[group].includes(key));
  return { sends: find(SENDS), reads: find(READS), isForeign: FOREIGN_ERRORS.includes(path.split('/')[1]) };
}
