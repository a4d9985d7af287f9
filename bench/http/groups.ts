import {
  baselines,
  type Contender,
  equippedFastify,
  express,
  growing,
  has,
  larger,
  prepared,
  roster,
  unchanged,
} from './contenders.js';
import {
  createSkill,
  getSkill,
  listOneSkill,
  listSkills,
  type Operation,
  refusedCreate,
  refusedList,
  unknownSkill,
  updateAgent,
} from './operations.js';

/** Cells that are measured in turn, because they are compared with each other. */
export interface Group {
  readonly name: string;
  readonly cells: readonly (readonly [Contender, Operation])[];
}

/** @param against the baselines that Roster is compared with */
export function groups(against: readonly Contender[] = baselines): readonly Group[] {
  const contenders = [roster, ...against];
  const all = (operation: Operation) =>
    contenders
      .filter((contender) => has(contender, operation))
      .filter(({ validates }) => validates || !operation.isRefused)
      .map((contender) => [contender, operation] as const);
  return [
    { name: 'getSkill', cells: all(getSkill) },
    {
      name: 'listSkills',
      cells: [...all(listSkills), [roster, listOneSkill], ...all(refusedList)],
    },
    { name: 'createSkill', cells: [...all(createSkill), ...all(refusedCreate)] },
    { name: 'updateAgent', cells: all(updateAgent) },
    { name: '404', cells: all(unknownSkill) },
    { name: 'growth', cells: growing.map((contender) => [contender, getSkill] as const) },
  ];
}

/** A maximum for the ratio of two figures. */
export interface Limit {
  readonly asked: string;
  readonly of: readonly [Contender, Operation];
  readonly over: readonly [Contender, Operation];
  readonly most: number;
}

export const limits: readonly Limit[] = [
  {
    asked: 'getSkill, of bare Express',
    of: [roster, getSkill],
    over: [express, getSkill],
    most: 1.25,
  },
  {
    asked: 'getSkill, of Express with one prepared statement',
    of: [roster, getSkill],
    over: [prepared, getSkill],
    most: 1,
  },
  {
    asked: 'getSkill, of the equipped Fastify',
    of: [roster, getSkill],
    over: [equippedFastify, getSkill],
    most: 1.6,
  },
  {
    asked: 'createSkill, of bare Express with the same durable write',
    of: [roster, createSkill],
    over: [express, createSkill],
    most: 1.25,
  },
  {
    asked: 'createSkill that is refused, of one that is accepted',
    of: [roster, refusedCreate],
    over: [roster, createSkill],
    most: 1,
  },
  {
    asked: 'listSkills with limit=0, which is refused, of limit=1',
    of: [roster, refusedList],
    over: [roster, listOneSkill],
    most: 1,
  },
  {
    asked: 'getSkill with 500 more operations in the contract, of the contract as it is',
    of: [larger, getSkill],
    over: [unchanged, getSkill],
    most: 1.05,
  },
];
