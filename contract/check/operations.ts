import type { FaultyPart, Part } from '../parts.js';
import { splitPointer } from '../pointer.js';

/** The code behind the contract. */
export interface Code {
  /** The file of each operation's handler, by operationId; undefined for a draft, which has none. */
  readonly handlers: ReadonlyMap<string, string> | undefined;
  /** Returns the name that a misspelt one is nearest to; null if it is near none. Without it, no remedy has a name. */
  readonly nearestName: ((names: readonly string[], misspelt: string) => string | null) | undefined;
}

/**
 * Finds operations that share a name or have no handler, handlers and links without an operation, and ambiguous paths.
 */
export function operationFaults(parts: readonly Part[], code: Code): FaultyPart[] {
  const first = new Map<string, Part>();
  const faults: FaultyPart[] = [];
  for (const part of parts) {
    const { operationId: id } = part.value;
    if (part.kind !== 'operation' || typeof id !== 'string') continue;
    const pointer = `${part.pointer}/operationId`;
    if (first.has(id)) {
      faults.push({ pointer, message: `two operations are called ${id}`, remedy: 'rename one of them' });
      continue;
    }
    first.set(id, part);
    if (code.handlers && !code.handlers.has(id)) {
      const message = `the operation ${id} has no handler`;
      faults.push({ pointer, message, remedy: 'begin one in server/' });
    }
  }
  return [...faults, ...handlersOfNothing(first, code), ...linksToNothing(first, parts), ...ambiguousPaths(parts)];
}

function handlersOfNothing(operations: ReadonlyMap<string, Part>, { handlers }: Code) {
  return [...(handlers ?? [])]
    .filter(([id]) => !operations.has(id))
    .map(([id, where]) => ({
      pointer: '/paths',
      message: `no operation is called ${id}, for which there is a handler in ${where}`,
      remedy: 'write the operation, or remove the handler',
    }));
}

function linksToNothing(operations: ReadonlyMap<string, Part>, parts: readonly Part[]) {
  return parts.flatMap(({ kind, pointer, value: { operationId: id } }) =>
    kind === 'link' && typeof id === 'string' && !operations.has(id)
      ? [
          {
            pointer: `${pointer}/operationId`,
            message: `no operation is called ${id}`,
            remedy: 'correct the operationId, or remove the link',
          },
        ]
      : [],
  );
}

/** Finds paths that one address may fit, none of which is the more specific (OpenAPI 3.1, section 4.8.8). */
function ambiguousPaths(parts: readonly Part[]): FaultyPart[] {
  const paths = parts.flatMap(({ kind, pointer }) => {
    const [section, path = ''] = splitPointer(pointer);
    return kind === 'path' && section === 'paths' ? [{ pointer, steps: path.split('/') }] : [];
  });
  return paths.flatMap(({ pointer, steps }, index) =>
    paths
      .slice(0, index)
      .filter((other) => areAmbiguous(steps, other.steps))
      .map((other) => ({
        pointer,
        message: `an address may fit this path and ${other.steps.join('/')}`,
        remedy: 'rename a step of one of them',
      })),
  );
}

function areAmbiguous(one: readonly string[], other: readonly string[]): boolean {
  const isOpen = (step = '') => step.startsWith('{');
  const differing = one.flatMap((step, at) => (step === other[at] ? [] : [[step, other[at]]]));
  return (
    one.length === other.length &&
    differing.every(([a, b]) => isOpen(a) || isOpen(b)) &&
    differing.some(([a]) => !isOpen(a)) &&
    differing.some(([, b]) => !isOpen(b))
  );
}
