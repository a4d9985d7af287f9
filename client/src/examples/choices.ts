import type { ExampleNames } from '../../../generated/examples.js';
import type { operations } from '../../../generated/openapi.js';

/** An operation of the contract, such as `getSkill`. */
export type OperationId = keyof ExampleNames;

type Status<Id extends OperationId> = keyof ExampleNames[Id];

/** The names that the examples of one status of an operation have, and those of no other status. */
type UniqueName<Id extends OperationId> = {
  [S in Status<Id>]: Exclude<ExampleNames[Id][S], ExampleNames[Id][Exclude<Status<Id>, S>]>;
}[Status<Id>];

type BodyOf<Id extends OperationId, S> = S extends keyof operations[Id]['responses']
  ? operations[Id]['responses'][S] extends { content: infer Content }
    ? Content[keyof Content]
    : never
  : never;

/**
 * Selects the response of an operation: by the name of an example, by a status, or by both. A status alone selects
 * its first example. With `body`, the response has your content in place of an example.
 */
export type ExampleChoice<Id extends OperationId> =
  | UniqueName<Id>
  | Status<Id>
  | {
      [S in Status<Id>]:
        | { status: S; example?: ExampleNames[Id][S]; body?: never }
        | { status: S; body: BodyOf<Id, S>; example?: never };
    }[Status<Id>];

/**
 * Selects the response to each request; `undefined` is the first example of success. It may throw, as `fetch` does
 * without a connection.
 */
export type ExampleChooser<Id extends OperationId> = (
  request: Request,
) => ChosenResponse<Id> | Promise<ChosenResponse<Id>>;

type ChosenResponse<Id extends OperationId> = ExampleChoice<Id> | Response | undefined;

/**
 * The responses of operations: one choice for all requests, several for one request after another, of which the
 * last one stays, or a function.
 */
export type ExampleChoices = {
  [Id in OperationId]?:
    | ExampleChoice<Id>
    | readonly [ExampleChoice<Id>, ...ExampleChoice<Id>[]]
    | ExampleChooser<Id>
    | undefined;
};
