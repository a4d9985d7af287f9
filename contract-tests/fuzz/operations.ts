/** The operations of the contract, in the form that the generators need. */
import { type Operation, operations, type Place } from '../../testkit/openapi/document.js';

export interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description: string;
  schema: Place;
}

/** An operation that requests are sent to. */
export interface Target {
  id: string;
  method: string;
  path: string;
  parameters: readonly Parameter[];
  /** The schemas of the body, by media type; empty if it takes no body. */
  bodies: readonly (readonly [mediaType: string, schema: Place])[];
  /** The maximum size of a JSON body in bytes, if the contract has one. */
  maxBody: number | undefined;
  /** True if it is open to everyone. */
  isOpen: boolean;
  /** The scopes of which a key needs one; empty if any key will do. */
  scopes: readonly string[];
  /** The media types of its successful answers. */
  produces: readonly string[];
  place: Place;
}

export const targets: readonly Target[] = operations.map(toTarget);

export function targetNamed(id: string): Target {
  const found = targets.find((target) => target.id === id);
  if (found === undefined) throw new Error(`The contract has no operation ${id}`);
  return found;
}

export function listPathParameters({ path }: Target): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name));
}

/** Returns whether a resource is found by its identifier too, by the description of its parameter. */
export function isFoundById({ parameters }: Target, parameter: string): boolean {
  return parameters.some(({ name, description }) => name === parameter && /\bidentifier\b/.test(description));
}

/** Returns whether an operation changes or deletes the resource at its address. */
export function isChange({ method }: Target): boolean {
  return method === 'PUT' || method === 'DELETE';
}

/** Returns the methods of an address, as its `Allow` must list them. */
export function listMethods(path: string): string[] {
  const declared = targets.filter((target) => target.path === path).map(({ method }) => method);
  return [...declared, ...(declared.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
}

function toTarget({ id, method, path, place, parameters }: Operation): Target {
  const maxBody = place.find('requestBody', 'x-roster-max-body')?.value;
  const successes = place.entries('responses').filter(([status]) => status.startsWith('2'));
  return {
    id,
    method,
    path,
    place,
    parameters: parameters.map((parameter) => ({
      name: parameter.text('name'),
      in: parameter.text('in'),
      required: parameter.find('required')?.value === true,
      description: parameter.text('description'),
      schema: parameter.at('schema'),
    })),
    bodies: place.entries('requestBody', 'content').map(([mediaType, content]) => [mediaType, content.at('schema')]),
    maxBody: typeof maxBody === 'number' ? maxBody : undefined,
    isOpen: place.entries('security').length === 0,
    scopes: listScopes(place),
    produces: successes.flatMap(([, response]) => response.entries('content').map(([mediaType]) => mediaType)),
  };
}

function listScopes(place: Place): string[] {
  return place
    .entries('security')
    .flatMap(([, requirement]) => requirement.entries('apiKey'))
    .map(([, scope]) => String(scope.value));
}
