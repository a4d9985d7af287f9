import { type Document, readContract } from '../../contract/document.js';
import { isObject } from '../../contract/json-record.js';
import { escapeToken, followReferences, valueAt } from '../../contract/pointer.js';
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
    if (key === undefined) return this;
    if (!isObject(this.value) || !Object.hasOwn(this.value, key)) return undefined;
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
    return place && isObject(place.value) ? Object.keys(place.value).map((key) => [key, place.at(key)]) : [];
  }

  private dereference(): Place {
    const pointer = followReferences(this.document, this.pointer, this.value);
    return pointer === this.pointer ? this : new Place(this.document, pointer, valueAt(this.document, pointer));
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

/** The contract as the service was built from it: parsing the YAML takes many times as long. */
const built = readContract(new URL('openapi.yaml', root));

export const document: Document = built.document;

export const contract: Place = Place.root(document);

/** Every operation of the contract, in its order. */
export const allOperations: readonly Operation[] = built.operations.map(({ id, method, path }) => {
  const address = contract.at('paths', path);
  const place = address.at(method);
  const parameters = [address, place].flatMap((part) => part.entries('parameters').map(([, parameter]) => parameter));
  return { id, method: method.toUpperCase(), path, place, parameters };
});

/** The operations that every service has: those of OAuth are there only with a public URL, and have their own tests. */
export const operations: Operation[] = allOperations.filter(({ place }) => place.find('x-roster-oauth') === undefined);
