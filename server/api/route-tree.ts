interface Found<T> {
  readonly value: T;
  /** The values of the address's parameters, percent-decoded. */
  readonly params: Record<string, string>;
}

interface Node<T> {
  readonly fixed: Map<string, Node<T>>;
  any: Node<T> | undefined;
  leaf: { readonly value: T; readonly names: readonly string[] } | undefined;
}

/**
 * Finds the value at an address among templates such as `/projects/{project_name}`. The time grows
 * with the number of segments of the address, not with the number of templates.
 */
export class RouteTree<T> {
  readonly #root: Node<T> = emptyNode();

  /** @param template an address of the contract, whose parameters fill whole segments */
  add(template: string, value: T): void {
    const names: string[] = [];
    let node = this.#root;
    for (const segment of template.slice(1).split('/')) {
      const [, name] = /^\{(\w+)\}$/.exec(segment) ?? [];
      if (name === undefined) {
        const next = node.fixed.get(segment) ?? emptyNode();
        node.fixed.set(segment, next);
        node = next;
      } else {
        node.any ??= emptyNode();
        node = node.any;
        names.push(name);
      }
    }
    node.leaf = { value, names };
  }

  /**
   * @param path with or without one trailing slash, and without a query
   * @throws {URIError} if a parameter is not percent-encoded UTF-8
   */
  find(path: string): Found<T> | undefined {
    if (!path.startsWith('/')) return undefined;
    const end = path.length > 1 && path.endsWith('/') ? path.length - 1 : path.length;
    const segments = path.slice(1, end).split('/');
    const values: string[] = [];
    const leaf = leafAt(this.#root, segments, 0, values);
    if (!leaf) return undefined;
    const params: Record<string, string> = {};
    for (const [index, name] of leaf.names.entries()) {
      params[name] = decodeURIComponent(values[index] ?? '');
    }
    return { value: leaf.value, params };
  }
}

function emptyNode<T>(): Node<T> {
  return { fixed: new Map(), any: undefined, leaf: undefined };
}

/**
 * Finds the leaf of an address. A literal segment takes precedence over a parameter (OpenAPI 3.1,
 * section 4.8.8.2).
 * @param values collects the values of the parameters
 */
function leafAt<T>(
  node: Node<T>,
  segments: readonly string[],
  depth: number,
  values: string[],
): Node<T>['leaf'] {
  const segment = segments[depth];
  if (segment === undefined) return node.leaf;
  const fixed = node.fixed.get(segment);
  const leaf = fixed && leafAt(fixed, segments, depth + 1, values);
  if (leaf || !node.any || segment === '') return leaf;
  const length = values.push(segment);
  const filled = leafAt(node.any, segments, depth + 1, values);
  if (!filled) values.length = length - 1;
  return filled;
}
