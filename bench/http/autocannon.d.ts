/** The part of autocannon 9 that the bench uses; the package has no types. */
declare module 'autocannon' {
  export interface Options {
    readonly url: string;
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string | undefined;
    readonly connections: number;
    /** The duration in seconds, if there is no `amount`. */
    readonly duration: number;
    /** The number of requests, without a limit of time. */
    readonly amount?: number | undefined;
    /** The interval at which autocannon checks whether it is done, in milliseconds. */
    readonly sampleInt: number;
    /** Replaces each `[<id>]` by another text. */
    readonly idReplacement: boolean;
  }

  interface Result {
    /** The duration in seconds, to a hundredth. */
    readonly duration: number;
    readonly errors: number;
    readonly statusCodeStats: Readonly<Record<string, { readonly count: number }>>;
  }

  export function autocannon(options: Options): PromiseLike<Result>;
}
