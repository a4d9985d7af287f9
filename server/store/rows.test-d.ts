/**
 * Tests the types of the JSON of rows. `npm run types` checks this file: each line below a
 * `@ts-expect-error` must not compile, and every other line must.
 */
import { type JsonMembers, jsonWriter } from './rows.js';

interface Resource {
  id: string;
  name: string;
  type: string | null;
  params: Record<string, unknown>;
  agent_ids: string[];
}

type Row = {
  readonly id: string;
  readonly project_id: string;
  readonly name: string;
  readonly type: string | null;
  readonly params: string;
  readonly agent_ids: string;
};

const members = {
  id: 'value',
  name: 'value',
  type: 'value',
  params: { json: 'params' },
  agent_ids: { json: 'agent_ids' },
} as const;

jsonWriter<Resource, Row>(members);

const { type: _, ...allButOne } = members;
// @ts-expect-error
jsonWriter<Resource, Row>(allButOne);

/** The resource of a later contract. */
type LaterResource = Resource & { description: string | null };
// @ts-expect-error
jsonWriter<LaterResource, Row>(members);
// @ts-expect-error
export const aMemberWithoutAColumn: JsonMembers<LaterResource, Row>['description'] = 'value';
export const aMemberWithAColumn: JsonMembers<
  LaterResource,
  Row & { readonly description: string | null }
>['description'] = 'value';
type NumberedRow = Row & { readonly description: number };
// @ts-expect-error
export const aColumnOfAnotherType: JsonMembers<LaterResource, NumberedRow>['description'] = 'value';

type Source = JsonMembers<Resource, Row>;
// @ts-expect-error
export const textThatIsNoJson: Source['name'] = { json: 'name' };
// @ts-expect-error
export const jsonThatIsNoText: Source['params'] = 'value';
// @ts-expect-error
export const jsonOfNoColumn: Source['params'] = { json: 'settings' };

jsonWriter<Resource, Row>({
  ...members,
  // @ts-expect-error
  colour: 'value',
});
