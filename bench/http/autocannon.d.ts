/** What the bench uses of autocannon 9, which comes without types; the module is itself this function. */
declare module 'autocannon' {
  export interface Options {
    readonly url: string;
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string | undefined;
    readonly connections: number;
    /** In seconds, where there is no `amount`. */
    readonly duration: number;
    /** How many requests to send, however long it takes. */
    readonly amount?: number | undefined;
    /** How often it looks whether it is done, in milliseconds. */
    readonly sampleInt: number;
    /** Puts another text in place of each `[<id>]`. */
    readonly idReplacement: boolean;
  }

  interface Result {
    /** In seconds, to a hundredth. */
    readonly duration: number;
    readonly errors: number;
    readonly statusCodeStats: Readonly<Record<string, { readonly count: number }>>;
  }

  export function autocannon(options: Options): PromiseLike<Result>;
}
