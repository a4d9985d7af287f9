/** The service has no chat server. */
export class ChatNotConfiguredError extends Error {
  override readonly name = 'ChatNotConfiguredError';
}

/** An agent or a chatbot names a language model that the service does not have. */
export class UnknownChatModelError extends Error {
  override readonly name = 'UnknownChatModelError';

  /**
   * @param who the agent or the chatbot, such as `agent "analyst"`
   * @param models the language models that the service has
   */
  constructor(
    readonly who: string,
    readonly model: string,
    readonly models: readonly string[],
  ) {
    super(`The ${who} names the unknown model ${model}`);
  }
}

/** The project has no such agent. */
export class UnknownAgentError extends Error {
  override readonly name = 'UnknownAgentError';

  constructor(
    readonly agent: string,
    readonly project: string,
  ) {
    super(`There is no agent ${agent}`);
  }
}
