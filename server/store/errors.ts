/** A skill, a chatbot or a conversation holds as much as it may. */
export class LimitReachedError extends Error {
  override readonly name = 'LimitReachedError';

  /** @param held the current number, if known */
  constructor(
    readonly kind: 'documents' | 'conversations' | 'messages',
    readonly most: number,
    readonly held = most,
  ) {
    super(`There may be ${most} ${kind} at most`);
  }
}

/** A conversation is answering a message, and answers one at a time. */
export class ConversationBusyError extends Error {
  override readonly name = 'ConversationBusyError';

  /** @param messageId the message that it answers */
  constructor(readonly messageId: string | null) {
    super(`The conversation answers the message ${messageId}`);
  }
}

/**
 * A reply cannot be stored: the lease of its claim ran out and another request has the conversation,
 * or the conversation was deleted.
 */
export class ClaimLostError extends Error {
  override readonly name = 'ClaimLostError';
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

/**
 * A search in documents that was not answered. The message is for the one who searches, such as a
 * language model: it states what to do instead.
 */
export class SearchError extends Error {
  override readonly name = 'SearchError';
}
