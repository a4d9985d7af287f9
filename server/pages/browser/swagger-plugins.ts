/** What the page `/docs` changes of Swagger UI: the contract as it is shown, and some components. */

/** The parts of the JSON contract that are changed. */
export interface Contract {
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> };
}

interface PathItem {
  readonly parameters?: readonly Parameter[];
  readonly [method: string]: Operation | readonly Parameter[] | undefined;
}

interface Operation {
  readonly description?: string | undefined;
  readonly parameters?: readonly Parameter[];
}

interface Parameter {
  readonly required?: boolean;
  readonly description?: string;
  readonly examples?: Readonly<Record<string, { summary?: string; value?: unknown }>>;
}

/** The functions of Swagger UI that plugins use. */
interface System {
  readonly React: {
    createElement(type: unknown, props?: unknown, ...children: unknown[]): unknown;
  };
}

interface LayoutProps {
  getComponent(name: string, isContainer?: boolean): unknown;
  readonly specSelectors: { loadingStatus(): 'loading' | 'success' | 'failed' | 'failedConfig' };
}

type Path = readonly string[];

/** Shows all of the contract, and prefills only values that make sense to send. */
export const adaptedContract = {
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (update: (contract: Contract) => unknown) => (contract: Contract) =>
          update(adaptContract(contract)),
      },
    },
  },
};

function adaptContract(contract: Contract): Contract {
  const { paths, components } = contract;
  const parameters = mapValues(components.parameters, describeExamples);
  return {
    ...contract,
    paths: mapValues(paths, moveSharedParameters),
    components: { ...components, parameters },
  };
}

/**
 * Copies the parameters shared by all operations of an address into each operation, since Swagger
 * UI does not resolve references among shared parameters.
 */
function moveSharedParameters({ parameters: shared = [], ...operations }: PathItem): PathItem {
  return mapValues(operations, (operation) => {
    if (operation === undefined || !isOperation(operation)) return operation;
    const { description, parameters: own = [] } = operation;
    return {
      ...operation,
      // Below the heading of the tag, whose level is three.
      description: description?.replace(/^#+ /gm, '#### '),
      parameters: [...shared, ...own].map(describeExamples),
    };
  });
}

function isOperation(part: Operation | readonly Parameter[]): part is Operation {
  return !Array.isArray(part);
}

/**
 * Moves the examples of an optional parameter into its description. Swagger UI would prefill the
 * first one, and nobody who tries an update wants the `If-Match` of an example.
 */
function describeExamples(parameter: Parameter): Parameter {
  const { examples, ...others } = parameter;
  if (parameter.required || examples === undefined) return parameter;
  const sentences = Object.values(examples).map(({ summary, value }) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `For example \`${text}\`: ${summary}`;
  });
  return { ...others, description: [parameter.description, ...sentences].join('\n\n') };
}

/** Resolves references itself: Swagger UI reads the whole contract anew for each operation. */
export const quickReferences = {
  fn: {
    resolveSubtree: async (contract: object, path: Path) => ({
      spec: dereference(contract, findPart(contract, path)),
      errors: [],
    }),
  },
};

/**
 * Returns a part of the contract with what its references lead to in their place, and the schemas of
 * an `allOf` as one. Swagger UI names a schema by its `$$ref`.
 * @param outer the references around the part: one that leads back to them stays
 */
export function dereference(contract: object, part: unknown, outer: Path = []): unknown {
  if (Array.isArray(part)) return part.map((item) => dereference(contract, item, outer));
  if (!isRecord(part)) return part;
  const { $ref, allOf, ...others } = mapValues(part, (value) =>
    dereference(contract, value, outer),
  );
  const own = Array.isArray(allOf) ? [...allOf.map(omitName), others].reduce(merge) : others;
  if (typeof $ref !== 'string') return own;
  if (outer.includes($ref)) return part;
  const target = findPart(contract, $ref.replace('#/', '').split('/'));
  return {
    ...Object(dereference(contract, target, [...outer, $ref])),
    ...Object(own),
    $$ref: $ref,
  };
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

function mapValues<T, U>(
  record: Readonly<Record<string, T>>,
  change: (value: T, key: string) => U,
): Record<string, U> {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => [key, change(value, key)]),
  );
}

/** Lays out the operations alone: the page has a guide, and `main`, of its own. */
export function operationsLayout({ React: { createElement } }: System): object {
  const OperationsLayout = ({ getComponent, specSelectors }: LayoutProps) => {
    const part = (name: string, isContainer: boolean) =>
      createElement(getComponent(name, isContainer), { key: name });
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
export const withoutAuthorize = {
  wrapComponents: { authorizeBtn: nothing, authorizeOperationBtn: nothing },
};
