/**
 * Tests the types of the JSON of rows. `npm run types` checks this file: each line below a
 * `@ts-expect-error` must not compile, and every other line must.
 */
import type { Selectable } from 'kysely';
import type { components } from '../../generated/openapi.js';
import type { Database } from './database/schema.js';
import { type JsonMembers, jsonWriter } from './row-json.js';

type Skill = components['schemas']['Skill'];
type SkillRow = Selectable<Database['skills']> & { readonly agent_ids: string };

const members = {
  id: 'value',
  name: 'value',
  type: 'value',
  params: { json: 'params' },
  agent_ids: { json: 'agent_ids' },
  created_at: 'value',
  updated_at: 'value',
} as const;

jsonWriter<Skill, SkillRow>(members);

const { type: _, ...allButOne } = members;
// @ts-expect-error
jsonWriter<Skill, SkillRow>(allButOne);

/** The skill of a later contract. */
type LaterSkill = Skill & { description: string | null };
// @ts-expect-error
jsonWriter<LaterSkill, SkillRow>(members);
// @ts-expect-error
export const aMemberWithoutAColumn: JsonMembers<LaterSkill, SkillRow>['description'] = 'value';
export const aMemberWithAColumn: JsonMembers<
  LaterSkill,
  SkillRow & { readonly description: string | null }
>['description'] = 'value';
type NumberedRow = SkillRow & { readonly description: number };
// @ts-expect-error
export const aColumnOfAnotherType: JsonMembers<LaterSkill, NumberedRow>['description'] = 'value';

type Source = JsonMembers<Skill, SkillRow>;
// @ts-expect-error
export const textThatIsNoJson: Source['name'] = { json: 'name' };
// @ts-expect-error
export const jsonThatIsNoText: Source['params'] = 'value';
// @ts-expect-error
export const jsonOfNoColumn: Source['params'] = { json: 'settings' };

jsonWriter<Skill, SkillRow>({
  ...members,
  // @ts-expect-error
  colour: 'value',
});
