import type { Client, FetchOptions, FetchResponse, ParseAs } from 'openapi-fetch';
import type { DefaultReading } from './media-types.js';
import type { RosterPaths } from './paths.js';

type Method = 'get' | 'put' | 'post' | 'delete';

/** The addresses of the contract that have this method. */
export type PathWith<M extends Method> = {
  [Path in keyof RosterPaths]: RosterPaths[Path] extends { [_ in M]: object } ? Path : never;
}[keyof RosterPaths];

type Operation<Path extends keyof RosterPaths, M extends Method> = RosterPaths[Path] extends {
  [_ in M]: infer Found extends object;
}
  ? Found
  : never;

type Options<Path extends keyof RosterPaths, M extends Method, As> = FetchOptions<Operation<Path, M>> & {
  parseAs?: As;
};

type Call<M extends Method> = <Path extends PathWith<M>, As extends ParseAs = DefaultReading<M, Path>>(
  path: Path,
  ...options: Record<never, never> extends Options<Path, M, As> ? [Options<Path, M, As>?] : [Options<Path, M, As>]
) => Promise<FetchResponse<Operation<Path, M>, { parseAs: As }, `${string}/${string}`>>;

/**
 * The typed client: `GET`, `POST`, `PUT` and `DELETE` for every address in the contract.
 *
 * It is an openapi-fetch client with stricter types for these four methods: openapi-fetch's own
 * types accept fields that are not in the contract, which the service then refuses.
 */
export interface RosterClient extends Pick<Client<RosterPaths>, 'use' | 'eject'> {
  GET: Call<'get'>;
  POST: Call<'post'>;
  PUT: Call<'put'>;
  DELETE: Call<'delete'>;
}
