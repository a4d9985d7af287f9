/** A skill of an agent that has a tool. */
export interface ToolSkill {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The name of its tool for the language model. */
  readonly toolName: string;
}
