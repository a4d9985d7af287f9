/** Another resource of the same kind in the same project has the name. */
export class NameTakenError extends Error {
  override readonly name = 'NameTakenError';
}

/** The project was deleted while something was written to it. */
export class ProjectGoneError extends Error {
  override readonly name = 'ProjectGoneError';
}

/** A version of the model is training already. */
export class TrainingInProgressError extends Error {
  override readonly name = 'TrainingInProgressError';

  constructor(readonly version: number) {
    super(`Version ${version} is training`);
  }
}

/** A resource that a write refers to does not exist in the project. */
export class UnknownReferenceError extends Error {
  override readonly name = 'UnknownReferenceError';

  /** @param named the names or ids that nothing was found by */
  constructor(readonly named: readonly string[]) {
    super('A resource that the write refers to does not exist');
  }
}

/** A resource was to be added and removed at once. */
export class AddedAndRemovedError extends Error {
  override readonly name = 'AddedAndRemovedError';

  /** @param named the names or ids by which it was to be added */
  constructor(readonly named: readonly string[]) {
    super('A resource was to be added and removed at once');
  }
}

/** What is stored would become larger than the contract says. */
export class TooLargeError extends Error {
  override readonly name = 'TooLargeError';

  /**
   * @param field the field of the resource
   * @param bound what it may hold at most, such as "1000 keys"
   */
  constructor(
    readonly field: 'params' | 'settings' | 'skills',
    readonly bound: string,
  ) {
    super(`${field} would hold more than ${bound}`);
  }
}

/**
 * Runs a write, and tells what it clashed with.
 * @throws {NameTakenError}
 * @throws {ProjectGoneError}
 */
export async function heedConstraints<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (codeOf(error) === 'SQLITE_CONSTRAINT_UNIQUE') {
      throw new NameTakenError(undefined, { cause: error });
    }
    if (codeOf(error) === 'SQLITE_CONSTRAINT_FOREIGNKEY') {
      throw new ProjectGoneError(undefined, { cause: error });
    }
    throw error;
  }
}

/** Whether an error says that the store cannot do its work now: it is locked, full, read-only or out of reach. */
export function isUnavailable(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN)/.test(codeOf(error));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
