/** Finds the kinds of resource from the links of the contract, which lead from answers to addresses. */
import type { Place } from '../../testkit/openapi/document.js';
import { listPathParameters, type Target, targetNamed, targets } from './operations.js';

/** A link from an answer to an operation on the created resource. */
export interface Link {
  target: Target;
  /** The runtime expressions of its parameters, by name. */
  parameters: Readonly<Record<string, string>>;
}

/** A kind of resource, such as the skills of a project. */
export interface Kind {
  creator: Target;
  links: readonly Link[];
}

export const kinds: readonly Kind[] = targets.flatMap((creator) => {
  const links = creator.place
    .entries('responses')
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, response]) => response.entries('links'))
    .map(([, link]) => readLink(link))
    // A version has a number, and is not a resource that a name finds.
    .filter(({ target }) => !listPathParameters(target).includes('version'))
    .filter((link, at, all) => all.findIndex(({ target }) => target === link.target) === at);
  return links.length === 0 ? [] : [{ creator, links }];
});

/**
 * Returns the kind of resource at an address. Creators of the same resource by POST and by PUT are one kind;
 * the one with the name in its body comes first.
 */
function findKind(path: string): Kind | undefined {
  const asked = maskNames(path);
  return kinds.find(({ links }) => links.some(({ target }) => maskNames(target.path) === asked));
}

/** Returns the kinds of an address, from the first of its parameters to the last. */
export function kindsWithin(target: Target): readonly (Kind | undefined)[] {
  const names = listPathParameters(target);
  return names.map((name, at) => {
    const upTo = target.path.slice(0, target.path.indexOf(`{${name}}`) + name.length + 2);
    const known = findKind(upTo) ?? findKind(upTo.replace(/^\/api(?=\/)/, ''));
    const isLast = at === names.length - 1;
    return known ?? (isLast ? kindLinkedTo(target) : undefined);
  });
}

/** Returns the kind of resource that an operation is about; undefined for a version or a message. */
export function kindAt(target: Target): Kind | undefined {
  return kindsWithin(target).at(-1);
}

/** Returns whether an operation creates a missing resource at its own address. */
export function createsAtItsAddress({ method, id }: Target): boolean {
  return method === 'PUT' && kinds.some(({ creator }) => creator.id === id);
}

export function linksBy(links: readonly Link[], ...methods: string[]): Link[] {
  return links.filter(({ target }) => methods.includes(target.method));
}

/** Returns the parameters that a link gives to its operation, from a request's own and its answer. */
export function pathOfLink(
  { parameters }: Link,
  path: Readonly<Record<string, string>>,
  body: unknown,
): Record<string, string> {
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, evaluate(value, path, body)]));
}

/** Evaluates a link's runtime expression (OpenAPI 3.1, section 4.8.20.4). */
function evaluate(expression: string, path: Readonly<Record<string, string>>, body: unknown): string {
  const [, parameter] = /^\$request\.path\.(\w+)$/.exec(expression) ?? [];
  if (parameter !== undefined) return path[parameter] ?? '';
  const [, field] = /^\$response\.body#\/(\w+)$/.exec(expression) ?? [];
  if (field === undefined || typeof body !== 'object' || body === null) {
    throw new Error(`${expression} cannot be evaluated`);
  }
  return String(Reflect.get(body, field));
}

function kindLinkedTo({ id }: Target): Kind | undefined {
  return kinds.find(({ links }) => links.some(({ target }) => target.id === id));
}

function readLink(link: Place): Link {
  const parameters = link.entries('parameters').map(([name, { value }]) => [name, String(value)]);
  return { target: targetNamed(link.text('operationId')), parameters: Object.fromEntries(parameters) };
}

/** Returns an address without the names of its parameters, which vary between operations. */
function maskNames(path: string): string {
  return path.replace(/\{\w+\}/g, '{}');
}
