/** The changes of the page `/docs` to Swagger UI: the contract as it is shown, and some components. */

/** The functions of Swagger UI that plugins use. */
interface System {
  readonly React: { createElement(type: unknown, props?: unknown, ...children: unknown[]): unknown };
}

interface LayoutProps {
  getComponent(name: string, isContainer?: boolean): unknown;
  readonly specSelectors: { loadingStatus(): 'loading' | 'success' | 'failed' | 'failedConfig' };
}

type Path = readonly string[];

/** Resolves references itself: Swagger UI reads the whole contract anew for each operation. */
export const adaptedContract = {
  fn: {
    resolveSubtree: async (contract: object, path: Path) => {
      const part = dereference(contract, findPart(contract, path));
      if (path[0] !== 'paths' || !isRecord(part)) return { spec: part, errors: [] };
      const shared = dereference(contract, findPart(contract, [...path.slice(0, 2), 'parameters']));
      return { spec: adaptOperation(part, shared), errors: [] };
    },
  },
};

/** Gives an operation the parameters shared by all of its address, whose references stay in Swagger UI. */
function adaptOperation({ description, parameters, ...operation }: Json, shared: unknown): Json {
  return {
    ...operation,
    // Below the heading of the tag, whose level is three.
    description: typeof description === 'string' && description.replace(/^#+ /gm, '#### '),
    parameters: [shared ?? [], parameters ?? []].flat().map(describeExamples),
  };
}

/**
 * Moves the examples of an optional parameter into its description. Swagger UI would prefill the
 * first one, and nobody who tries an update wants the `If-Match` of an example.
 */
function describeExamples(parameter: unknown): unknown {
  if (!isRecord(parameter) || parameter['required']) return parameter;
  const { examples, description, ...others } = parameter;
  if (!isRecord(examples)) return parameter;
  const sentences = Object.values(examples).map((example) => {
    const { summary, value } = Object(example);
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `For example \`${text}\`: ${summary}`;
  });
  return { ...others, description: [description, ...sentences].join('\n\n') };
}

/**
 * Returns a part of the contract with what its references lead to in their place, and the schemas of
 * an `allOf` as one. Swagger UI names a schema by its `$$ref`.
 * @param outer the references around the part: one that leads back to them stays
 */
export function dereference(contract: object, part: unknown, outer: Path = []): unknown {
  if (Array.isArray(part)) return part.map((item) => dereference(contract, item, outer));
  if (!isRecord(part)) return part;
  const { $ref, allOf, ...others } = mapValues(part, (value) => dereference(contract, value, outer));
  const own = Array.isArray(allOf) ? [...allOf.map(omitName), others].reduce(merge) : others;
  if (typeof $ref !== 'string') return own;
  if (outer.includes($ref)) return part;
  const target = findPart(contract, $ref.replace('#/', '').split('/'));
  return { ...Object(dereference(contract, target, [...outer, $ref])), ...Object(own), $$ref: $ref };
}

function findPart(contract: object, path: Path): unknown {
  return path.reduce((part: unknown, name) => Object(part)[name], contract);
}

function omitName({ $$ref, ...schema }: Json): unknown {
  return schema;
}

function merge(one: unknown, other: unknown): unknown {
  if (Array.isArray(one) && Array.isArray(other)) return [...one, ...other];
  if (!isRecord(one) || !isRecord(other)) return other;
  const ofOne = Object.entries(one).filter(([key]) => !(key in other));
  const merged = mapValues(other, (value, key) => merge(one[key], value));
  return { ...Object.fromEntries(ofOne), ...merged };
}

type Json = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, change: (value: T, key: string) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}

/** Lays out the operations alone: the page has its own guide and `main`. */
export function operationsLayout({ React: { createElement } }: System): object {
  const OperationsLayout = ({ getComponent, specSelectors }: LayoutProps) => {
    const part = (name: string, isContainer: boolean) => createElement(getComponent(name, isContainer), { key: name });
    const status = specSelectors.loadingStatus();
    if (status === 'loading') return createElement('p', null, 'Loading…');
    if (status !== 'success') return createElement('p', null, 'The contract could not be loaded.');
    return createElement('div', { className: 'swagger-ui' }, [
      part('SvgAssets', false),
      part('errors', true),
      part('AuthorizeBtnContainer', true),
      part('operations', true),
      part('Models', true),
    ]);
  };
  return { components: { OperationsLayout } };
}

export const replacedComponents = {
  wrapComponents: {
    /** On demand: every answer has nearly the same headers. */
    headers:
      (Headers: unknown, { React: { createElement } }: System) =>
      (props: unknown) =>
        createElement(
          'details',
          { className: 'headers' },
          createElement('summary', null, 'Headers'),
          createElement(Headers, props),
        ),
    /** An address as text: as a link within a button, the keyboard would reach it twice. */
    DeepLink:
      (_DeepLink: unknown, { React: { createElement } }: System) =>
      ({ text }: { text: unknown }) =>
        createElement('span', null, text),
  },
};

const nothing = () => () => null;

/** Leaves out all that takes a key. */
export const withoutAuthorize = { wrapComponents: { authorizeBtn: nothing, authorizeOperationBtn: nothing } };
