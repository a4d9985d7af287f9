import type { SkillParams } from '../../../generated/facade.js';
import type { Skill } from '../contract/resources.js';
import type { FreeMembers } from './types.js';

/** A skill of one of the types that are tools of agents, with the `params` of that type. */
export type SkillOf<Type extends keyof SkillParams> = {
  [Each in Type]: Omit<Skill, 'type' | 'params'> & { type: Each; params: SkillParams[Each] & FreeMembers };
}[Type];

/**
 * Returns whether a skill is of one of these types, so that the compiler knows its `params`. A comparison of `type` does
 * not tell it, since skills may have any other type, with any `params`. The service checks the params of a skill when
 * they are written; one of the type `mcp` that the release 0.1.0 kept was not checked.
 *
 * @example
 * const skill = await roster.skills.get('sales_questions');
 * if (isSkillOf(skill, 'sql')) console.log(skill.params.tables);
 */
export function isSkillOf<Type extends keyof SkillParams>(
  skill: Skill,
  ...types: readonly Type[]
): skill is SkillOf<Type> {
  return types.some((type) => type === skill.type);
}
