/** The contract in the form in which Swagger UI shows all of it, and fills in what is good to send. */

/** The contract as JSON, as far as it is changed. */
export interface Contract {
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> };
}

interface PathItem {
  readonly parameters?: readonly Parameter[];
  readonly [method: string]: Operation | readonly Parameter[] | undefined;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
}

/** Or a reference to one. */
interface Parameter {
  readonly required?: boolean;
  readonly description?: string;
  readonly examples?: Readonly<Record<string, Example>>;
}

interface Example {
  readonly summary?: string;
  readonly value?: unknown;
}

/** Gives a contract that means the same. */
export function drawn(contract: Contract): Contract {
  const { paths, components } = contract;
  return {
    ...contract,
    paths: mapped(paths, withoutShared),
    components: { ...components, parameters: mapped(components.parameters, unfilled) },
  };
}

/**
 * Writes the parameters that all operations of an address share into each of them: Swagger UI does not
 * follow the references among those that are shared.
 */
function withoutShared({ parameters: shared = [], ...operations }: PathItem): PathItem {
  return mapped(operations, (operation) => {
    if (operation === undefined || !isOperation(operation)) return operation;
    const { parameters: own = [] } = operation;
    return { ...operation, parameters: [...shared, ...own].map(unfilled) };
  });
}

function isOperation(part: Operation | readonly Parameter[]): part is Operation {
  return !Array.isArray(part);
}

/**
 * Tells the examples of an optional parameter in its description. Swagger UI would fill the first one in,
 * and nobody who tries an update means the `If-Match` of an example.
 */
function unfilled(parameter: Parameter): Parameter {
  const { examples, ...others } = parameter;
  if (parameter.required || examples === undefined) return parameter;
  const told = Object.values(examples).map(
    ({ summary, value }) => `For example \`${textOf(value)}\`: ${summary}`,
  );
  return { ...others, description: [parameter.description, ...told].join('\n\n') };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function mapped<T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
