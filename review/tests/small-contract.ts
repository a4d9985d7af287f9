import { dump, load } from 'js-yaml';
import { readContract } from '../src/contract.js';
import { type Review, reviewContracts } from '../src/review.js';
import type { Party } from '../src/rules.js';

/** Returns a minimal contract: YAML for `paths` and for the rest of the document. */
export function contract(paths: string, rest = '', version = '1.0.0'): string {
  const document = { openapi: '3.1.0', info: { title: 'Small', version } };
  const given = load(`paths: ${paths || '{}'}\n${rest}`);
  return dump({ ...document, ...(typeof given === 'object' ? given : {}) });
}

/** Returns a contract with one operation, `save`, whose body and response have the schema. */
export function makeContract(schema: unknown, schemas: Record<string, unknown> = {}): string {
  const content = { 'application/json': { schema } };
  return dump(
    {
      openapi: '3.1.0',
      info: { title: 'Small', version: '1.0.0' },
      paths: {
        '/things': {
          post: {
            operationId: 'save',
            requestBody: { required: true, content },
            responses: { 200: { description: 'Saved', content } },
          },
        },
      },
      components: { schemas },
    },
    { noRefs: true },
  );
}

/** Returns the review of two versions, each as YAML. */
export function review(before: string, after: string): Review {
  return reviewContracts({
    before: readContract(before, 'the old version'),
    after: readContract(after, 'the new version'),
  });
}

/** Returns the parties that break, in alphabetical order. */
export function broken({ breaking }: Review): Party[] {
  const parties = ['caller', 'reader', 'sender'] as const;
  return parties.filter((party) => breaking[party].length > 0);
}

/** Returns every reported change: the rule, the party, and the path. */
export function summarize({ breaking, added, notes }: Review): string[] {
  const all = [...breaking.caller, ...breaking.sender, ...breaking.reader, ...added, ...notes];
  return all.map(({ rule, party, places }) => `${rule} (${party}) ${places.join(', ')}`);
}
