const MEBIBYTE = 1024 * 1024;

/** What a project may hold at most, and an owner. */
export interface Bounds {
  /** How many resources of each kind a project holds, and how many projects an owner has. */
  readonly resources: number;
  /** How much a project's skills, agents and chatbots keep in JSON and long text, in bytes of UTF-8. */
  readonly bytes: number;
  /** How often a project's agents use its skills: a skill that three agents use counts three times. */
  readonly uses: number;
  /** How much an owner stores in all projects, in bytes: JSON and long text, trained models, and training tables. */
  readonly stored: number;
  /** How many ready versions of a model are kept. */
  readonly versions: number;
  /** How much is kept of an owner's answers under an Idempotency-Key, in bytes. */
  readonly answers: number;
}

/**
 * An agent is shown with all of its skills, whole, and each skill with the ids of all of its agents. One
 * answer may so have as much as the whole project, and has to fit into memory several times over: as text,
 * as objects, and as text again. Many resources of the size that they may each have would not.
 */
export const BOUNDS: Bounds = {
  resources: 10_000,
  bytes: 16 * MEBIBYTE,
  uses: 100_000,
  stored: 10 * 1024 * MEBIBYTE,
  versions: 5,
  answers: 64 * MEBIBYTE,
};
