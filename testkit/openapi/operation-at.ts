import { type Operation, operations } from './document.js';

/**
 * Returns the operations at an address, also under `/api` and with a trailing slash, as existing clients send
 * it.
 */
export function operationsAt(pathname: string): Operation[] {
  const asked = pathname.replace(/\/$/, '');
  for (const address of [asked, asked.replace(/^\/api(?=\/)/, '')]) {
    const found = operations.filter(({ path }) => matches(path, address));
    if (found.length > 0) {
      return found;
    }
  }
  return [];
}

/** Returns the operation for a method and an address; HEAD counts as GET. */
export function operationAt(method: string, pathname: string): Operation | undefined {
  const wanted = method === 'HEAD' ? 'GET' : method;
  return operationsAt(pathname).find((candidate) => candidate.method === wanted);
}

function matches(template: string, address: string): boolean {
  const steps = template.split('/');
  const asked = address.split('/');
  return (
    steps.length === asked.length &&
    steps.every((step, at) => (step.startsWith('{') ? asked[at] !== '' : step === asked[at]))
  );
}
