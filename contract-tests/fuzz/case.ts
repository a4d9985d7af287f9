import { type Parameter, type Target, targetNamed } from './operations.js';

/** A parameter, with the value that is sent. */
export interface Sent {
  name: string;
  in: string;
  /** A text, a number, or an array of texts; what is in a path may be one of the words below. */
  value: unknown;
}

/** What an address may name without knowing how it is called. */
export const PLACES = {
  project: '{the project}',
  other: '{another project}',
  spare: '{one of its own}',
  keptId: '{the identifier of the one that is kept}',
} as const;

/** The number in the address of a version that every model has. */
export const FIRST_VERSION = '1';

/** Who sends a request. */
export type KeyName =
  | 'own'
  | 'read'
  | 'write'
  | 'predict'
  | 'operate'
  | 'stranger'
  | 'revoked'
  | 'none'
  | 'unknown'
  | 'malformed';

/** What is wrong with a request, and what the answer must be. */
export interface Expected {
  what: string;
  statuses: readonly number[];
  /** What the answer must point at: this place, or one that holds it. */
  pointer?: string;
}

export interface Body {
  mediaType: string;
  bytes: Buffer;
  /** What the bytes are JSON of, if they are. */
  value: unknown;
  /** Whether nothing is in the way of a success that a schema cannot tell. */
  isUsable: boolean;
}

/** A request to be sent, in terms that hold whatever the names and identifiers of this run are. */
export interface Case {
  operationId: string;
  method: string;
  /** Before and after the address of the contract. */
  prefix: string;
  suffix: string;
  parameters: readonly Sent[];
  headers: Readonly<Record<string, string>>;
  body: Body | undefined;
  key: KeyName;
  /** What is wrong with it; nothing, where it is valid. */
  fault?: Expected;
}

export function targetOf({ operationId }: Case): Target {
  return targetNamed(operationId);
}

/** The value of a parameter that is sent, if it is. */
export function sentValue({ parameters }: Case, where: string, name: string): unknown {
  return parameters.find((sent) => sent.in === where && sent.name === name)?.value;
}

/** A case with another value of a parameter. */
export function withParameter(
  made: Case,
  { name, in: where }: Pick<Parameter, 'name' | 'in'>,
  value: unknown,
): Case {
  const others = made.parameters.filter((sent) => sent.name !== name || sent.in !== where);
  return { ...made, parameters: [...others, { name, in: where, value }] };
}
