import { allOperations, type Operation } from './document.js';

/** The operations of an address of the contract. */
interface Address {
  readonly steps: readonly string[];
  readonly operations: Operation[];
}

/** The addresses of the contract, split once: every checked answer is looked up in them. */
const addresses: readonly Address[] = addressesOfContract();

/**
 * Returns the operations at an address, also under `/api` and with a trailing slash, as existing clients send
 * it.
 */
export function operationsAt(pathname: string): Operation[] {
  const asked = pathname.replace(/\/$/, '');
  for (const address of [asked, asked.replace(/^\/api(?=\/)/, '')]) {
    const steps = address.split('/');
    const found = addresses.filter((candidate) => matches(candidate.steps, steps));
    if (found.length > 0) {
      return found.flatMap((candidate) => candidate.operations);
    }
  }
  return [];
}

/** Returns the operation for a method and an address; HEAD counts as GET. */
export function operationAt(method: string, pathname: string): Operation | undefined {
  const wanted = method === 'HEAD' ? 'GET' : method;
  return operationsAt(pathname).find((candidate) => candidate.method === wanted);
}

function addressesOfContract(): Address[] {
  const byPath = new Map<string, Address>();
  for (const operation of allOperations) {
    const { path } = operation;
    const address = byPath.get(path) ?? { steps: path.split('/'), operations: [] };
    address.operations.push(operation);
    byPath.set(path, address);
  }
  return [...byPath.values()];
}

function matches(steps: readonly string[], asked: readonly string[]): boolean {
  return (
    steps.length === asked.length &&
    steps.every((step, at) => (step.startsWith('{') ? asked[at] !== '' : step === asked[at]))
  );
}
