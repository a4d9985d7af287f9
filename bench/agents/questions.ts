/** The questions that the scripted chat server knows. */
export const QUESTIONS = {
  /** Answered at once, in three tokens. */
  short: 'Say three words.',
  /** Answered in three tokens, after a use of the first tool that is offered. */
  tool: 'What does it cost?',
  /** Answered in `TOKENS` tokens, `TOKENS_A_SECOND` a second. */
  long: 'Say sixty words.',
} as const;

export const TOKENS = 60;
export const TOKENS_A_SECOND = 20;
