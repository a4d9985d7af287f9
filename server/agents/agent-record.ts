import type { components } from '../../generated/openapi.js';

/** An agent with its skills, as the store shows it. */
export type AgentRecord = components['schemas']['Agent'];

/** The settings of an agent that answers use. Values of another type count as missing. */
export interface AnswerSettings {
  readonly temperature: number | undefined;
  readonly returnsContext: boolean;
  readonly promptTemplate: string | null;
}

/** Reads the settings of an agent. Existing clients send `prompt_template` among them. */
export function answerSettings({ settings, prompt_template }: AgentRecord): AnswerSettings {
  const { temperature, return_context: context, prompt_template: template } = settings;
  const isTemperature = typeof temperature === 'number' && temperature >= 0 && temperature <= 2;
  return {
    temperature: isTemperature ? temperature : undefined,
    returnsContext: context === true,
    promptTemplate: prompt_template ?? (typeof template === 'string' ? template : null),
  };
}
