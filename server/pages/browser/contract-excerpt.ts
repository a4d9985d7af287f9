/** Cuts out what Swagger UI needs to show an operation: it reads all that it gets, anew for each operation. */

/** The parts of the JSON contract that can be left out. */
export interface WholeContract {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: Components;
}

type Components = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * Returns a contract with the part at `path` and all that it refers to. Of other operations it has the
 * identifiers, which links name.
 */
export function excerpt(
  contract: WholeContract,
  [section, name = '', member = '']: readonly string[],
): WholeContract {
  if (section === 'paths') {
    const paths = mapped(contract.paths, (operations, address) =>
      mapped(operations, (operation, method) =>
        address === name && method === member ? operation : identifierOf(operation),
      ),
    );
    return { ...contract, paths, components: componentsOf(contract, paths) };
  }
  if (section !== 'components') return contract;
  const part =
    member === '' ? contract.components[name] : { $ref: `#/${section}/${name}/${member}` };
  const components = componentsOf(contract, part);
  return {
    ...contract,
    paths: {},
    components: member === '' ? { ...components, [name]: { ...part } } : components,
  };
}

function identifierOf(operation: unknown): unknown {
  if (typeof operation !== 'object' || operation === null || Array.isArray(operation))
    return operation;
  return 'operationId' in operation ? { operationId: operation.operationId } : {};
}

/** Returns the components that a part refers to, directly or by others, and how one authenticates. */
function componentsOf({ components }: WholeContract, part: unknown): Components {
  const { securitySchemes = {} } = components;
  const kept: Record<string, Record<string, unknown>> = { securitySchemes: { ...securitySchemes } };
  const keep = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      const [, kind, name] = (key === '$ref' && COMPONENT.exec(inner)) || [];
      if (kind === undefined || name === undefined) keep(inner);
      else keepComponent(kind, name);
    }
  };
  const keepComponent = (kind: string, name: string): void => {
    kept[kind] ??= {};
    if (name in kept[kind]) return;
    kept[kind][name] = components[kind]?.[name];
    keep(kept[kind][name]);
  };
  keep(part);
  return kept;
}

const COMPONENT = /^#\/components\/([^/]+)\/([^/]+)$/;

function mapped<T, U>(record: Readonly<Record<string, T>>, change: (value: T, key: string) => U) {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => [key, change(value, key)]),
  );
}
