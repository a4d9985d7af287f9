import { readContract } from '../../server/contract/document.js';
import { escapeToken, splitPointer } from '../../server/contract/json-pointer.js';
import { root } from '../root.js';

/** A place in the contract: its pointer and its value. A `$ref` on the way is followed. */
export class Place {
  private constructor(
    private readonly document: unknown,
    /** The JSON pointer, such as `/components/schemas/Skill`. */
    readonly pointer: string,
    readonly value: unknown,
  ) {}

  static root(document: unknown): Place {
    return new Place(document, '', document);
  }

  /** Returns the place below this one; undefined if it does not exist. */
  find(...keys: string[]): Place | undefined {
    const [key, ...further] = keys;
    if (key === undefined) {
      return this;
    }
    if (!isRecord(this.value) || !Object.hasOwn(this.value, key)) {
      return undefined;
    }
    const child = new Place(this.document, `${this.pointer}/${escapeToken(key)}`, this.value[key]).dereference();
    return child.find(...further);
  }

  /** Returns the place below this one, which must exist. */
  at(...keys: string[]): Place {
    const place = this.find(...keys);
    if (place === undefined) {
      throw new Error(`The contract has nothing at ${this.pointer}/${keys.join('/')}`);
    }
    return place;
  }

  text(...keys: string[]): string {
    return String(this.at(...keys).value);
  }

  /** Returns the entries of the object or array below this place, by key; empty if it does not exist. */
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
    const steps = splitPointer(this.value.$ref);
    return Place.root(this.document).at(...steps);
  }
}

export interface Operation {
  id: string;
  method: string;
  path: string;
  place: Place;
  /** The parameters of the operation and of its address. */
  parameters: Place[];
}

const METHODS = ['get', 'put', 'post', 'delete'];

/** The document of openapi.yaml, as the service was built from it: parsing the YAML takes many times as long. */
export const document: Record<string, unknown> = readContract(new URL('openapi.yaml', root)).document;

export const contract: Place = Place.root(document);

/** Every operation of the contract, in its order. */
export const allOperations: readonly Operation[] = contract.entries('paths').flatMap(([path, address]) =>
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

/** The operations that every service has: those of OAuth are there only with a public URL, and have tests of their own. */
export const operations: Operation[] = allOperations.filter(({ place }) => place.find('x-roster-oauth') === undefined);

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
