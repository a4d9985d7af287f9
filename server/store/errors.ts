import type { ResourceKind } from './quota/project-quota.js';

/**
 * Another resource of the same kind in the project, or another project of the owner, has the name.
 */
export class NameTakenError extends Error {
  override readonly name = 'NameTakenError';

  /** @param taken the name */
  constructor(
    readonly kind: ResourceKind | 'projects',
    readonly taken: string,
  ) {
    super(`The name ${taken} is taken among the ${kind}`);
  }
}

/** A write would exceed a limit of the project or of its owner. */
export class LimitReachedError extends Error {
  override readonly name = 'LimitReachedError';

  /**
   * @param kind what exceeds its limit: `bytes` of JSON and long text in a project, `uses` of its
   *   skills by its agents, resources of a kind, `documents` of a skill, `conversations` of a chatbot,
   *   `messages` of a conversation, or bytes that an owner has `stored` or in kept `answers`
   * @param most the limit
   * @param held the current number, if known
   */
  constructor(
    readonly kind:
      | ResourceKind
      | 'projects'
      | 'documents'
      | 'conversations'
      | 'messages'
      | 'bytes'
      | 'uses'
      | 'stored'
      | 'answers',
    readonly most: number,
    readonly held = most,
  ) {
    super(`There may be ${most} ${kind} at most`);
  }
}

/** A version of the model is already training. */
export class TrainingInProgressError extends Error {
  override readonly name = 'TrainingInProgressError';

  constructor(readonly version: number) {
    super(`Version ${version} is training`);
  }
}

/** The training queue is full, in total or for one owner. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
}

/** A resource that a write refers to does not exist in the project. */
export class UnknownReferenceError extends Error {
  override readonly name = 'UnknownReferenceError';

  /** @param named the names or ids that do not exist */
  constructor(readonly named: readonly string[]) {
    super('A resource that the write refers to does not exist');
  }
}

/** A write both adds and removes a resource. */
export class AddedAndRemovedError extends Error {
  override readonly name = 'AddedAndRemovedError';

  /** @param named the names or ids under which it was to be added */
  constructor(readonly named: readonly string[]) {
    super('A resource was to be added and removed at once');
  }
}

/** A stored value would become larger than the contract allows. */
export class TooLargeError extends Error {
  override readonly name = 'TooLargeError';

  /**
   * @param field the field of the resource
   * @param bound the limit of the field, such as "1000 keys"
   */
  constructor(
    readonly field: 'params' | 'settings' | 'skills',
    readonly bound: string,
  ) {
    super(`${field} would hold more than ${bound}`);
  }
}

/** A chatbot that is created by its address must have the name in that address. */
export class OtherNameError extends Error {
  override readonly name = 'OtherNameError';
}
