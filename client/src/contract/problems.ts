import type { operations } from '../../../generated/openapi.js';

type ProblemIn<Answer> = Answer extends { content: { 'application/problem+json': infer Body } } ? Body : never;

/** The problems that an operation can return: `ProblemOf<'getSkill'>`. */
export type ProblemOf<OperationId extends keyof operations> = {
  [Id in OperationId]: ProblemIn<operations[Id]['responses'][keyof operations[Id]['responses']]>;
}[OperationId];

/** Every problem that any operation can return. Its `type` identifies it. */
export type Problem = ProblemOf<keyof operations>;

/** The `type` of every problem, such as `/problems/skill-not-found`. */
export type ProblemType = Problem['type'];
