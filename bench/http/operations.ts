/** A request that is sent repeatedly, and its expected answer. */
export interface Operation {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  /** JSON. Each request gets another text for `[<id>]`. */
  readonly body?: string;
  /** The Prefer header for a mock, which has no state and answers 404 only on request. */
  readonly prefer?: string;
  readonly statuses: readonly number[];
  /** Refused by validation: for contenders that validate requests. */
  readonly isRefused?: boolean;
  /**
   * Adds a row, and each row makes the next one more expensive, so a round has a fixed number of requests
   * instead of a duration.
   */
  readonly addsRows?: boolean;
}

export const LISTED = 'listed';
export const WRITTEN = 'written';

const SKILLS = `/projects/${LISTED}/skills`;
const NEW_SKILLS = `/projects/${WRITTEN}/skills`;

function reading(name: string, path: string, more: Partial<Operation> = {}): Operation {
  return { name, method: 'GET', path: SKILLS + path, statuses: [200], ...more };
}

const refused = { statuses: [400, 422], isRefused: true };

export const getSkill = reading('getSkill', '/skill-50');
export const listSkills = reading('listSkills', '');
export const listOneSkill = reading('listSkills, one of them', '?limit=1');
export const refusedList = reading('listSkills, refused', '?limit=0', refused);
export const unknownSkill = reading('getSkill, 404', '/missing', {
  ...{ prefer: 'code=404', statuses: [404] },
});

export const createSkill: Operation = {
  ...{ name: 'createSkill', method: 'POST', path: NEW_SKILLS, statuses: [201], addsRows: true },
  body: JSON.stringify({
    skill: { name: 'skill-[<id>]', type: 'lookup', params: { database: 'sales', depth: 3 } },
  }),
};

/** A body with an unknown field, a field of the wrong type, and a missing field. */
export const refusedCreate: Operation = {
  ...{ name: 'createSkill, refused', method: 'POST', path: NEW_SKILLS, ...refused },
  body: JSON.stringify({ skill: { name: 'skill-[<id>]', params: 'sales', kind: 'lookup' } }),
};

export const updateAgent: Operation = {
  ...{ name: 'updateAgent', method: 'PUT', path: `/projects/${LISTED}/agents/analyst` },
  body: JSON.stringify({
    agent: { prompt_template: 'Answer in one sentence: {{question}}', settings: { depth: 3 } },
  }),
  statuses: [200],
};
