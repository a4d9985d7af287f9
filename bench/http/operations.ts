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

const refused = { statuses: [400, 422], isRefused: true } as const;

const newSkill = { name: 'skill-[<id>]', type: 'lookup', params: { database: 'sales', depth: 3 } };

export const getSkill: Operation = {
  name: 'getSkill',
  method: 'GET',
  path: `/projects/${LISTED}/skills/skill-50`,
  statuses: [200],
};

export const createSkill: Operation = {
  name: 'createSkill',
  method: 'POST',
  path: `/projects/${WRITTEN}/skills`,
  body: JSON.stringify({ skill: newSkill }),
  statuses: [201],
  addsRows: true,
};

/** A body with an unknown field, a field of the wrong type, and a missing field. */
export const refusedCreate: Operation = {
  ...refused,
  name: 'createSkill, refused',
  method: 'POST',
  path: createSkill.path,
  body: JSON.stringify({ skill: { name: 'skill-[<id>]', params: 'sales', kind: 'lookup' } }),
};

export const listSkills: Operation = {
  name: 'listSkills',
  method: 'GET',
  path: `/projects/${LISTED}/skills`,
  statuses: [200],
};

export const listOneSkill: Operation = {
  name: 'listSkills, one of them',
  method: 'GET',
  path: `/projects/${LISTED}/skills?limit=1`,
  statuses: [200],
};

export const refusedList: Operation = {
  ...refused,
  name: 'listSkills, refused',
  method: 'GET',
  path: `/projects/${LISTED}/skills?limit=0`,
};

export const updateAgent: Operation = {
  name: 'updateAgent',
  method: 'PUT',
  path: `/projects/${LISTED}/agents/analyst`,
  body: JSON.stringify({
    agent: { prompt_template: 'Answer in one sentence: {{question}}', settings: { depth: 3 } },
  }),
  statuses: [200],
};

export const unknownSkill: Operation = {
  name: 'getSkill, 404',
  method: 'GET',
  path: `/projects/${LISTED}/skills/missing`,
  prefer: 'code=404',
  statuses: [404],
};
