import type { PathWith } from '../contract/calls.js';

/** The condition under which repeating a request has no further effect. */
type Condition = 'none' | 'an Idempotency-Key' | 'a precondition' | 'impossible';

/** Every POST of the contract must be listed here, or this does not compile. */
const POSTS: ReadonlyMap<string, Condition> = new Map(
  Object.entries({
    '/keys': 'an Idempotency-Key',
    '/projects': 'an Idempotency-Key',
    '/projects/{project_name}/skills': 'an Idempotency-Key',
    '/projects/{project_name}/agents': 'an Idempotency-Key',
    '/projects/{project_name}/chatbots': 'an Idempotency-Key',
    '/projects/{project_name}/chatbots/{chatbot_name}/conversations': 'an Idempotency-Key',
    '/projects/{project_name}/chatbots/{chatbot_name}/conversations/{conversation_id}/messages': 'an Idempotency-Key',
    // Returns the reply, if there is one by then.
    '/projects/{project_name}/chatbots/{chatbot_name}/conversations/{conversation_id}/messages/{message_id}/reply':
      'none',
    // Each asks the language model anew, which takes time and may cost money.
    '/projects/{project_name}/agents/{agent_name}/completions': 'impossible',
    '/projects/{project_name}/agents/{agent_name}/completions/stream': 'impossible',
    '/v1/chat/completions': 'impossible',
    '/v1/responses': 'impossible',
    // Each trains a new version. With If-Match, only the first has an effect.
    '/api/projects/{projectName}/models/{modelName}/retrain': 'a precondition',
    // Some tools ask the language model.
    '/mcp': 'impossible',
    '/mcp/{project_name}': 'impossible',
    // Each makes a code or tokens; a second use of the same code ends them.
    '/oauth/authorize': 'impossible',
    '/oauth/token': 'impossible',
    '/oauth/register': 'none',
    '/oauth/revoke': 'none',
    // The same truth again changes nothing.
    '/api/projects/{projectName}/models/{modelName}/actuals': 'none',
    // Changes nothing, or remembers rows under further ids.
    '/api/projects/{projectName}/models/{modelName}/predict': 'none',
    '/api/projects/{projectName}/tables/preview': 'none',
  } satisfies Record<PathWith<'post'>, Condition>),
);

/** Every PUT of the contract must be listed here too. */
const PUTS: ReadonlyMap<string, Condition> = new Map(
  Object.entries({
    '/projects/{project_name}/skills/{skill_name}': 'none',
    '/projects/{project_name}/skills/{skill_name}/documents/{document_name}': 'none',
    '/projects/{project_name}/agents/{agent_name}': 'none',
    '/projects/{project_name}/chatbots/{chatbot_name}': 'none',
    '/api/projects/{projectName}/models/{modelName}/serving': 'none',
    // A second rename would meet another model of the former name, or none.
    '/api/projects/{projectName}/models/{modelName}/details': 'a precondition',
    // A project that is as the manifest says stays, and no model is trained twice.
    '/projects/{project_name}/manifest': 'none',
    // Each trains a new version. With If-Match or If-None-Match, only the first has an effect.
    '/api/projects/{projectName}/models/{modelName}': 'a precondition',
  } satisfies Record<PathWith<'put'>, Condition>),
);

/** Returns whether an `Idempotency-Key` keeps this request from creating a resource twice. */
export function takesIdempotencyKey(method: string, schemaPath: string): boolean {
  return method === 'POST' && POSTS.get(schemaPath) === 'an Idempotency-Key';
}

/**
 * Returns whether the request can be repeated without a further effect.
 *
 * @param schemaPath the address, as written in the contract
 */
export function isRepeatable({ method, headers }: Request, schemaPath: string): boolean {
  switch (findCondition(method, schemaPath)) {
    case 'none':
      return true;
    case 'an Idempotency-Key':
      return headers.has('Idempotency-Key');
    case 'a precondition':
      return headers.has('If-Match') || headers.has('If-None-Match');
    case 'impossible':
    case undefined:
      return false;
  }
}

function findCondition(method: string, schemaPath: string): Condition | undefined {
  if (method === 'POST') return POSTS.get(schemaPath);
  if (method === 'PUT') return PUTS.get(schemaPath);
  return ['GET', 'HEAD', 'DELETE'].includes(method) ? 'none' : undefined;
}
