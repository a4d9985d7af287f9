import type { AnsweringAgent } from '../resources/agents.js';

/** The settings of an agent that answers use. Values of another type count as missing. */
export interface AnswerSettings {
  readonly temperature: number | undefined;
  readonly returnsContext: boolean;
  /** The prompt template; empty if there is none. */
  readonly template: string;
}

/** Reads the settings of an agent. Existing clients send `prompt_template` among them. */
export function answerSettings({ settings, prompt_template }: AnsweringAgent): AnswerSettings {
  const { temperature, return_context: context, prompt_template: template } = settings;
  const isTemperature = typeof temperature === 'number' && temperature >= 0 && temperature <= 2;
  return {
    temperature: isTemperature ? temperature : undefined,
    returnsContext: context === true,
    template: prompt_template ?? (typeof template === 'string' ? template : ''),
  };
}
