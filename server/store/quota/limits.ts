const MEBIBYTE = 1024 * 1024;

/** The limits of a project, and of an owner. */
export interface Limits {
  /**
   * The most resources of each kind in a project, documents of a skill, conversations of a chatbot, and
   * projects of an owner.
   */
  readonly resources: number;
  /** The most bytes (UTF-8) of JSON and long text in a project's skills, agents and chatbots. */
  readonly bytes: number;
  /**
   * The most uses of a project's skills by its agents: a skill that three agents use counts three
   * times.
   */
  readonly uses: number;
  /**
   * The most bytes that an owner stores in all projects: JSON and long text, documents, conversations,
   * trained models, and training tables.
   */
  readonly stored: number;
  /** The most messages of a conversation. */
  readonly messages: number;
  /** The most ready versions of a model that are kept. */
  readonly versions: number;
  /** The most bytes of an owner's responses kept under an Idempotency-Key. */
  readonly answers: number;
}

/**
 * An agent is shown with all of its skills in full, and each skill with the ids of all of its
 * agents. One response may therefore be as large as the whole project, and must fit into memory
 * several times: as text, as objects, and as text again. Many resources of the largest allowed size
 * would not fit.
 */
export const DEFAULT_LIMITS: Limits = {
  resources: 10_000,
  bytes: 16 * MEBIBYTE,
  uses: 100_000,
  stored: 10 * 1024 * MEBIBYTE,
  messages: 10_000,
  versions: 5,
  answers: 64 * MEBIBYTE,
};
