import { dump, load } from 'js-yaml';
import { readContract } from '../contract/read.js';
import { type Review, reviewOf } from '../review.js';
import type { Party } from '../rules.js';

/** A contract in the fewest words: YAML for `paths` and what else the document has. */
export function contract(paths: string, rest = '', version = '1.0.0'): string {
  const document = { openapi: '3.1.0', info: { title: 'Small', version } };
  const given = load(`paths: ${paths || '{}'}\n${rest}`);
  return dump({ ...document, ...(typeof given === 'object' ? given : {}) });
}

/** A contract of one operation, `save`, that takes what it answers. */
export function contractOf(schema: unknown, schemas: Record<string, unknown> = {}): string {
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

/** The review of two versions, each as YAML. */
export function review(before: string, after: string): Review {
  return reviewOf({
    before: readContract(before, 'the old version'),
    after: readContract(after, 'the new version'),
  });
}

/** For whom it breaks, in the order of the alphabet. */
export function broken({ breaking }: Review): Party[] {
  const parties = ['caller', 'reader', 'sender'] as const;
  return parties.filter((party) => breaking[party].length > 0);
}

/** Everything that is told: the rule, the party, and where. */
export function told({ breaking, added, notes }: Review): string[] {
  const all = [...breaking.caller, ...breaking.sender, ...breaking.reader, ...added, ...notes];
  return all.map(({ rule, party, places }) => `${rule} (${party}) ${places.join(', ')}`);
}
