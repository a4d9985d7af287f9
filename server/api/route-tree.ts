/** A step of an address: the next ones by their segments, and the value if the address may end here. */
interface Node<T> {
  readonly next: Map<string, Node<T>>;
  leaf?: { readonly value: T; readonly names: readonly string[] };
}

/** Stands for a parameter among the segments of a template; no segment contains a slash. */
const PARAMETER = '/';

/**
 * Finds the value at an address among templates such as `/projects/{project_name}`. The time grows
 * with the number of segments of the address, not with the number of templates.
 */
export class RouteTree<T> {
  readonly #root: Node<T> = { next: new Map() };

  /** @param template an address of the contract, whose parameters fill whole segments */
  add(template: string, value: T): void {
    const names: string[] = [];
    let node = this.#root;
    for (const segment of template.slice(1).split('/')) {
      const [, name] = /^\{(\w+)\}$/.exec(segment) ?? [];
      if (name !== undefined) names.push(name);
      const step = name === undefined ? segment : PARAMETER;
      const next: Node<T> = node.next.get(step) ?? { next: new Map() };
      node.next.set(step, next);
      node = next;
    }
    node.leaf = { value, names };
  }

  /**
   * Returns the value and the percent-decoded parameters of an address.
   * @param path with or without one trailing slash, and without a query
   * @throws {URIError} if a parameter is not percent-encoded UTF-8
   */
  find(path: string): { value: T; params: Record<string, string> } | undefined {
    if (!path.startsWith('/')) return undefined;
    const end = path.length > 1 && path.endsWith('/') ? path.length - 1 : path.length;
    const values: string[] = [];
    const leaf = findLeaf(this.#root, path.slice(1, end).split('/'), 0, values);
    if (!leaf) return undefined;
    const params: Record<string, string> = {};
    for (const [index, name] of leaf.names.entries()) {
      params[name] = decodeURIComponent(values[index] ?? '');
    }
    return { value: leaf.value, params };
  }
}

/**
 * A literal segment takes precedence over a parameter (OpenAPI 3.1, section 4.8.8.2).
 * @param values collects the values of the parameters
 */
function findLeaf<T>(
  { next, leaf }: Node<T>,
  segments: readonly string[],
  depth: number,
  values: string[],
): Node<T>['leaf'] {
  const segment = segments[depth];
  if (segment === undefined) return leaf;
  const literal = next.get(segment);
  const found = literal && findLeaf(literal, segments, depth + 1, values);
  const parameter = next.get(PARAMETER);
  if (found || !parameter || segment === '') return found;
  const length = values.push(segment);
  const filled = findLeaf(parameter, segments, depth + 1, values);
  if (!filled) values.length = length - 1;
  return filled;
}
