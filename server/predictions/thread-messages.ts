import type { AnswerOptions, AnswerPart, UnknownName } from '../../prediction/src/predicting.js';

/** The parts of an answer that a thread may produce before any of them is taken. */
export const MAX_PARTS = 4;

/** The pieces of a body that are sent to a thread before it has read any of them. */
export const MAX_PIECES = 4;

/** A fault of the rows, or an error of the service, in a form that can be sent between threads. */
export type ThreadFault =
  | { readonly name: 'RowsError' | 'Error'; readonly message: string }
  | { readonly name: 'UnknownNamesError'; readonly names: readonly UnknownName[] }
  /** The body is to be read as a whole. The thread returns its pieces. */
  | { readonly name: 'DeclinedError'; readonly body: readonly Uint8Array[] }
  /** The version of the model is not in the store any more. */
  | { readonly name: 'VersionGoneError' };

/** A message to a thread. Messages but `artifact` belong to a job, by its number. */
export type ToThread =
  | {
      readonly kind: 'begin';
      readonly job: number;
      readonly versionId: string;
      readonly options: AnswerOptions;
    }
  | { readonly kind: 'piece'; readonly job: number; readonly bytes: Uint8Array }
  /** The body has no more pieces. */
  | { readonly kind: 'end'; readonly job: number }
  /** A part of the answer was taken. */
  | { readonly kind: 'taken'; readonly job: number }
  | { readonly kind: 'abort'; readonly job: number }
  | {
      readonly kind: 'artifact';
      readonly versionId: string;
      readonly bytes: Uint8Array | undefined;
    };

/** A message to a thread that belongs to a job. */
export type ToJob = Exclude<ToThread, { kind: 'artifact' }>;

/** A message from a thread. */
export type FromThread =
  | { readonly kind: 'part'; readonly job: number; readonly part: AnswerPart }
  /** A piece of the body was read. */
  | { readonly kind: 'read'; readonly job: number }
  | { readonly kind: 'end'; readonly job: number }
  | { readonly kind: 'fault'; readonly job: number; readonly fault: ThreadFault }
  /** Asks for the model of a version. */
  | { readonly kind: 'ask'; readonly versionId: string };

/** A message from a thread that belongs to a job. */
export type FromJob = Exclude<FromThread, { kind: 'ask' }>;

/** A buffer of fewer bytes may share its memory with others (`Buffer.poolSize`). */
const MIN_OWN = 64 * 1024;

/** Returns bytes whose memory can be handed to another thread: the same, or a copy of shared ones. */
export function movable(bytes: Uint8Array): Uint8Array {
  const isWhole = bytes.byteLength === bytes.buffer.byteLength;
  const isOwn = bytes.buffer.byteLength >= MIN_OWN && bytes.byteOffset === 0;
  return isOwn && (isWhole || bytes.byteLength >= MIN_OWN) ? bytes : new Uint8Array(bytes);
}

/** Returns the memory that moves with a message. */
export function movedWith(message: ToThread | FromThread): ArrayBuffer[] {
  return bytesIn(message).flatMap(({ buffer }) => (buffer instanceof ArrayBuffer ? [buffer] : []));
}

function bytesIn(message: ToThread | FromThread): readonly Uint8Array[] {
  switch (message.kind) {
    case 'piece':
      return [message.bytes];
    case 'artifact':
      return message.bytes ? [message.bytes] : [];
    case 'part':
      return message.part.kind === 'bytes' ? [message.part.bytes] : [];
    case 'fault':
      return message.fault.name === 'DeclinedError' ? message.fault.body : [];
    default:
      return [];
  }
}
