/** The limits that a key may have. A period begins with a minute, or a day, of UTC. */
export const KEY_LIMITS = {
  /** Requests to any operation. */
  requests: { seconds: 60, period: 'a minute' },
  /** Rows that are predicted, by agents too. */
  rows: { seconds: 86_400, period: 'a day' },
  /** Tokens of agents, as the chat server counts them. */
  tokens: { seconds: 86_400, period: 'a day' },
} as const;

export type LimitName = keyof typeof KEY_LIMITS;

/** The most in one period, by what is limited; what is left out is not limited. */
export type KeyLimits = Readonly<Partial<Record<LimitName, number>>>;

export const LIMIT_NAMES: readonly LimitName[] = ['requests', 'rows', 'tokens'];

/** The largest limit. */
export const MAX_LIMIT = 999_999_999_999;
