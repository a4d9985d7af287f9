import type { FACADE, ModelsOperations, PredictOptions, Resources } from '../../../generated/facade.js';
import type { AnyModels, ModelsOf, PredictionOf } from '../facade/models.js';
import type { Events } from '../facade/types.js';
import type { Page, PageQuery } from '../paging.js';

/**
 * The part of a `QueryClient` that is used here. The types of TanStack Query's adapters take what this module returns,
 * and it depends on none of them.
 */
export interface Cache {
  getQueryData(queryKey: readonly unknown[]): unknown;
  setQueryData(queryKey: readonly unknown[], data: unknown): unknown;
  removeQueries(filters: { queryKey: readonly unknown[] }): void;
  invalidateQueries(filters: { queryKey: readonly unknown[] }): Promise<void>;
}

interface QueryContext {
  readonly client: Cache;
  readonly signal: AbortSignal;
}

/** Options of `useQuery`, `fetchQuery` and the like. */
export interface Query<Data> {
  readonly queryKey: readonly unknown[];
  readonly queryFn: (context: QueryContext) => Promise<Data>;
  /** Data keep their ETag, which a merged copy would not have. */
  readonly structuralSharing?: false;
}

/** Options of `useInfiniteQuery`. */
export interface PagesQuery<Item> {
  readonly queryKey: readonly unknown[];
  readonly queryFn: (context: QueryContext & { readonly pageParam: PageQuery }) => Promise<Page<Item>>;
  readonly initialPageParam: PageQuery;
  readonly getNextPageParam: (page: Page<Item>) => PageQuery | undefined;
}

/** Options of `useMutation`. */
export interface Change<Data, Variables> {
  readonly mutationKey: readonly unknown[];
  readonly mutationFn: (variables: Variables, context: { readonly client: Cache }) => Promise<Data>;
  /** Reads again what the change may have changed. */
  readonly onSettled: (
    data: unknown,
    error: unknown,
    variables: unknown,
    result: unknown,
    context: { readonly client: Cache },
  ) => Promise<void>;
  /** Changes of one resource are sent one after the other. */
  readonly scope: { readonly id: string };
}

/** The rows of a prediction that make its key: an array of them, since bytes make no key. */
type PredictQuery<Models> = <Name extends keyof Models & string>(
  name: Name,
  rows: readonly Models[Name][keyof Models[Name] & 'input'][],
  options?: PredictOptions & { rows?: 'full' | undefined },
) => Query<PredictionOf<Models[Name]>[]>;

type Factories<Operations, Rows> = {
  [Name in keyof Operations as Operations[Name] extends Returning<Events> ? never : Name]: Operations[Name] extends (
    ...given: infer Given
  ) => infer Sent
    ? Sent extends { readonly reads: 'one' | 'list' }
      ? (...given: Given) => Query<Awaited<Sent>>
      : ChangeFactory<Awaited<Sent>, SplitNames<Given, Row<Rows, Name>['names']>, Row<Rows, Name>>
    : never;
} & {
  [Name in keyof Operations & string as Operations[Name] extends Returning<{ readonly reads: 'list' }>
    ? `${Name}Pages`
    : never]: Operations[Name] extends (...given: infer Given) => AsyncIterable<infer Item>
    ? (...given: Given) => PagesQuery<Item>
    : never;
};

type Returning<Sent> = (...given: never[]) => Sent;

type Row<Rows, Name> = Name extends keyof Rows
  ? Rows[Name] extends { readonly names: readonly unknown[] }
    ? Rows[Name]
    : never
  : never;

/** The arguments of a method: the names in the address, and the rest. */
type SplitNames<
  Given extends readonly unknown[],
  Names extends readonly unknown[],
  Taken extends readonly unknown[] = [],
> = Names extends readonly [unknown, ...infer Others]
  ? Given extends readonly [infer First, ...infer Rest]
    ? SplitNames<Rest, Others, [...Taken, First]>
    : never
  : { names: Taken; rest: Given };

/** A body is what `mutate` takes; options are those of every change. */
type ChangeFactory<Data, Split, Row> = Split extends {
  names: infer Names extends readonly unknown[];
  rest: infer Rest extends readonly unknown[];
}
  ? Row extends { readonly consumes: readonly string[] }
    ? Rest extends readonly [infer Body, ...infer Options]
      ? (...given: [...Names, ...Options]) => Change<Data, Body>
      : never
    : (...given: [...Names, ...Rest]) => Change<Data, void>
  : never;

/** Options for TanStack Query, by resource and method of the façade. */
export type RosterQueries<Models extends ModelsOf<Models> = AnyModels> = {
  readonly [Resource in Exclude<keyof Resources, 'models'>]: Factories<Resources[Resource], (typeof FACADE)[Resource]>;
} & {
  readonly models: Factories<Omit<ModelsOperations, 'predict'>, (typeof FACADE)['models']> & {
    predict: PredictQuery<Models>;
  };
} & {
  /** The keys of all queries of a resource, or of the project: for `invalidateQueries`. */
  key(resource?: keyof Resources): readonly unknown[];
};
