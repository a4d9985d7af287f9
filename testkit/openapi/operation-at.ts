import { type Operation, operations } from './document.js';

/** The operations that answer at an address, as existing clients write it: behind `/api` too, and with a slash at its end. */
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

/** The operation that answers a method at an address; HEAD is answered as GET is. */
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
