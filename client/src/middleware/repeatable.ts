import type { PathWith } from '../calls.js';

/** Says when a request does no harm if it is carried out twice. */
type Condition = 'none' | 'an Idempotency-Key' | 'a precondition';

/** A POST that the contract gains has to be given its line here, or this does not compile. */
const POSTS: ReadonlyMap<string, Condition> = new Map(
  Object.entries({
    '/projects': 'an Idempotency-Key',
    '/projects/{project_name}/skills': 'an Idempotency-Key',
    '/projects/{project_name}/agents': 'an Idempotency-Key',
    '/projects/{project_name}/chatbots': 'an Idempotency-Key',
    // It changes nothing.
    '/api/projects/{projectName}/models/{modelName}/predict': 'none',
  } satisfies Record<PathWith<'post'>, Condition>),
);

/** The same for a PUT. */
const PUTS: ReadonlyMap<string, Condition> = new Map(
  Object.entries({
    '/projects/{project_name}/skills/{skill_name}': 'none',
    '/projects/{project_name}/agents/{agent_name}': 'none',
    '/projects/{project_name}/chatbots/{chatbot_name}': 'none',
    '/api/projects/{projectName}/models/{modelName}/serving': 'none',
    // Each trains a version of its own. With If-Match or If-None-Match, only the first has an effect.
    '/api/projects/{projectName}/models/{modelName}': 'a precondition',
  } satisfies Record<PathWith<'put'>, Condition>),
);

/** Whether this POST is one that can be kept from creating twice by an `Idempotency-Key`. */
export function takesIdempotencyKey(method: string, schemaPath: string): boolean {
  return method === 'POST' && POSTS.get(schemaPath) === 'an Idempotency-Key';
}

/**
 * Whether a request does no harm when it is carried out twice.
 *
 * @param schemaPath its address, as the contract writes it
 */
export function isRepeatable({ method, headers }: Request, schemaPath: string): boolean {
  switch (conditionOf(method, schemaPath)) {
    case 'none':
      return true;
    case 'an Idempotency-Key':
      return headers.has('Idempotency-Key');
    case 'a precondition':
      return headers.has('If-Match') || headers.has('If-None-Match');
    case undefined:
      return false;
  }
}

function conditionOf(method: string, schemaPath: string): Condition | undefined {
  if (method === 'POST') return POSTS.get(schemaPath);
  if (method === 'PUT') return PUTS.get(schemaPath);
  return ['GET', 'HEAD', 'DELETE'].includes(method) ? 'none' : undefined;
}
