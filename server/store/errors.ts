/** Another resource of the same kind in the same project has the name. */
export class NameTakenError extends Error {
  override readonly name = 'NameTakenError';
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

/** Runs a write, and tells a clash with a unique name from any other failure. */
export async function refuseTakenName<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isUniqueViolation(error)) throw new NameTakenError(undefined, { cause: error });
    throw error;
  }
}

function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'SQLITE_CONSTRAINT_UNIQUE';
}
