import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { root } from '../root.js';

/** A place in the contract: the pointer to it, and what stands there. A `$ref` is followed on the way. */
export class Place {
  private constructor(
    private readonly document: unknown,
    /** As a JSON pointer, such as `/components/schemas/Skill`. */
    readonly pointer: string,
    readonly value: unknown,
  ) {}

  /** The beginning of a document. */
  static root(document: unknown): Place {
    return new Place(document, '', document);
  }

  /** The place below this one, if there is one. */
  find(...keys: string[]): Place | undefined {
    const [key, ...further] = keys;
    if (key === undefined) {
      return this;
    }
    if (!isRecord(this.value) || !Object.hasOwn(this.value, key)) {
      return undefined;
    }
    const child = new Place(
      this.document,
      `${this.pointer}/${escapeStep(key)}`,
      this.value[key],
    ).dereference();
    return child.find(...further);
  }

  /** The place below this one, which must be there. */
  at(...keys: string[]): Place {
    const place = this.find(...keys);
    if (place === undefined) {
      throw new Error(`The contract has nothing at ${this.pointer}/${keys.join('/')}`);
    }
    return place;
  }

  /** The text that stands below this place. */
  text(...keys: string[]): string {
    return String(this.at(...keys).value);
  }

  /** What stands below this place, by key; nothing if the place is not there. */
  entries(...keys: string[]): [string, Place][] {
    const place = this.find(...keys);
    return place !== undefined && (isRecord(place.value) || Array.isArray(place.value))
      ? Object.keys(place.value).map((key) => [key, place.at(key)])
      : [];
  }

  private dereference(): Place {
    if (!isRecord(this.value) || typeof this.value.$ref !== 'string') {
      return this;
    }
    const steps = this.value.$ref.split('/').slice(1).map(unescapeStep);
    return Place.root(this.document).at(...steps);
  }
}

/** An operation of the contract. */
export interface Operation {
  id: string;
  method: string;
  path: string;
  place: Place;
  /** Those of the operation and those of its address. */
  parameters: Place[];
}

const METHODS = ['get', 'put', 'post', 'delete'];

/** The contract as it stands in openapi.yaml. */
export const document: Record<string, unknown> = readContract();

/** The beginning of the contract, to go on from. */
export const contract: Place = Place.root(document);

/** Every operation of the contract, in its order. */
export const operations: Operation[] = contract.entries('paths').flatMap(([path, address]) =>
  METHODS.flatMap((method) => {
    const place = address.find(method);
    return place === undefined
      ? []
      : {
          id: place.text('operationId'),
          method: method.toUpperCase(),
          path,
          place,
          parameters: [...address.entries('parameters'), ...place.entries('parameters')].map(
            ([, parameter]) => parameter,
          ),
        };
  }),
);

function readContract(): Record<string, unknown> {
  const found = load(readFileSync(new URL('openapi.yaml', root), 'utf8'));
  if (!isRecord(found)) {
    throw new Error('openapi.yaml is not an object');
  }
  return found;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function escapeStep(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1');
}

function unescapeStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
