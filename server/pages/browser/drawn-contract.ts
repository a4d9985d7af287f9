/**
 * Adapts the contract so that Swagger UI shows all of it, and prefills only values that make sense
 * to send.
 */

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
  readonly examples?: Readonly<Record<string, Example>>;
}

interface Example {
  readonly summary?: string;
  readonly value?: unknown;
}

export function drawn(contract: Contract): Contract {
  const { paths, components } = contract;
  return {
    ...contract,
    paths: mapped(paths, withoutShared),
    components: { ...components, parameters: mapped(components.parameters, unfilled) },
  };
}

/**
 * Copies the parameters shared by all operations of an address into each operation, since Swagger
 * UI does not resolve references among shared parameters.
 */
function withoutShared({ parameters: shared = [], ...operations }: PathItem): PathItem {
  return mapped(operations, (operation) => {
    if (operation === undefined || !isOperation(operation)) return operation;
    const { description, parameters: own = [] } = operation;
    return {
      ...operation,
      description: description && demoted(description),
      parameters: [...shared, ...own].map(unfilled),
    };
  });
}

/** Puts the headings of a description below that of its tag, whose level is three. */
function demoted(description: string): string {
  return description.replace(/^#+ /gm, '#### ');
}

function isOperation(part: Operation | readonly Parameter[]): part is Operation {
  return !Array.isArray(part);
}

/**
 * Moves the examples of an optional parameter into its description. Swagger UI would prefill the
 * first one, and nobody who tries an update wants the `If-Match` of an example.
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
