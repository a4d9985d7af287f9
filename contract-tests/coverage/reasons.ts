import type { Reason } from './compare.js';

/** The operations of OAuth. */
const OAUTH = [
  ...['getProtectedResource', 'getMcpResource', 'getMcpResourceOfProject'],
  ...['getAuthorizationServer', 'showConsent', 'giveConsent'],
  ...['issueToken', 'registerClient', 'revokeToken'],
];

/** The reasons why some promises of the contract are not exercised by a test. */
export const REASONS: readonly Reason[] = [
  {
    promises: [
      'getLiveness 500',
      'getLiveness 500 *',
      'getReadiness 500',
      'getReadiness 500 *',
      'getStatus 500',
      'getStatus 500 *',
    ],
    because:
      'Nothing that these do can be made to fail from outside: two ask nobody, the third answers 503 to whatever the store does. By the house rules each operation documents 500.',
  },
  {
    promises: [
      'getLiveness 400 header RateLimit*',
      'getLiveness 406 header RateLimit*',
      'getReadiness 400 header RateLimit*',
      'getReadiness 406 header RateLimit*',
      'getReadiness 503 header RateLimit*',
      'getStatus 400 header RateLimit*',
      'getStatus 406 header RateLimit*',
    ],
    because:
      'Who watches over the service is not counted, so these headers, which are optional, are never there; the responses are shared with operations that count.',
  },
  {
    promises: ['getCaller 500 header RateLimit*', 'getMetrics 500 header RateLimit*'],
    because: 'They fail only where the store cannot say who asks, which is before the request is counted.',
  },
  {
    promises: [
      'apply* 503 example busy',
      'call* 503 example busy',
      'cancel* 503 example busy',
      'complete* 503 example busy',
      'create* 503 example busy',
      'delete* 503 example busy',
      'get* 503 example busy',
      'list* 503 example busy',
      'addActuals 503 example busy',
      'previewTable 503 example busy',
      'put* 503 example busy',
      'reply* 503 example busy',
      'retrain* 503 example busy',
      'send* 503 example busy',
      'serve* 503 example busy',
      'stream* 503 example busy',
      'train* 503 example busy',
      'update* 503 example busy',
      'getCaller 503 header RateLimit*',
      'getMetrics 503 header RateLimit*',
    ],
    because:
      'A room that is full is answered for all its operations in one place, before the operation is looked at; server/api/limits/limits.test.ts fills rooms, and that of predictions over HTTP. To fill one over HTTP for each operation takes hundreds of connections that hold the store, and who wins depends on the machine.',
  },
  {
    promises: [
      ...['cancel*', 'create*', 'delete*', 'list*', 'put*', 'update*', 'sendMessage', 'replyToMessage'],
      ...['callMcp*', 'predict', 'retrainModel', 'serveVersion', 'streamAgent', 'trainModel'],
      ...['getAgent', 'getCaller', 'getChatbot', 'getConversation', 'getDocument', 'getMetrics'],
      ...['getKey', 'getModel', 'getOpenaiModel*', 'getProject', 'getSkill', 'getVersion', 'completeChat'],
      ...['addActuals', 'completeResponse', 'getErrors', 'getOnnx', 'getRecord', 'getResponse', 'getSeries'],
      ...['previewTable', 'getManifest', 'applyManifest'],
    ].map((operation) => `${operation} 503 example stopping`),
    because:
      'A stop ends answers of agents alone with this problem, and completeAgent shows it; streams have begun by then and end with it, and all other requests are answered as usual.',
  },
  {
    promises: [
      'updateSkill 422 example document',
      'putDocument 422 example params',
      'putDocument 400 example malformed',
      'replyToMessage 409 example full',
      'replyToMessage 409 example in_flight',
    ],
    because:
      'The responses are shared with operations that these examples are of: a skill is written without a document, a document is not JSON, and a reply has room since its question, and no key.',
  },
  {
    promises: ['updateModel 409 example bytes'],
    because:
      'A model that is renamed in a project without room for some characters more answers as updateSkill does, which shows it.',
  },
  {
    promises: ['completeChat 501 header RateLimit*', 'completeResponse 501 header RateLimit*'],
    because:
      'The service without a chat server that is asked has no keys, and counts no requests; completeAgent shows the headers of the same response.',
  },
  {
    promises: ['callMcp 404 example project'],
    because:
      'The response is shared with callMcpOfProject, whose address names the project; contract-tests/mcp/protocol.test.ts asks callMcp for an owner who has none that is meant.',
  },
  {
    promises: ['retrainModel 409 example stored'],
    because:
      'It takes an owner who stores as much as may be; trainModel, which has a test of that, asks the store by the same code.',
  },
  {
    promises: ['sendMessage 409 example full', 'replyToMessage 409 example stored'],
    because:
      'They take 10,000 messages, or an owner who is full by the time of the reply; server/agents/conversations has tests with lower bounds.',
  },
  {
    promises: [
      ...['getProtectedResource', 'getMcpResource', 'getAuthorizationServer'].flatMap((id) => [
        `${id} 400`,
        `${id} 400 *`,
      ]),
      ...OAUTH.flatMap((id) => [`${id} 500`, `${id} 500 *`, `${id} 503 example busy`]),
      ...OAUTH.filter((id) => id !== 'showConsent').flatMap((id) => [`${id} 503`, `${id} 503 header *`]),
    ],
    because:
      'Some have no address that could be wrong. They fail only as all operations do, which is in one place: where the store does not answer, or their room is full. By the house rules each documents these answers.',
  },
  {
    promises: [
      ...['previewTable 401 header RateLimit*', 'previewTable 401 example ended'],
      ...['previewTable 413', 'previewTable 413 *'],
      ...['addActuals 401 header RateLimit*', 'addActuals 401 example ended'],
      ...['addActuals 413', 'addActuals 413 *'],
    ],
    because:
      'The bound of a table, and the end of a key while it arrives, hold for all tables in one place; tests of trainModel show both. A preview answers after the first rows.',
  },
  {
    promises: ['createKey 409 example in_flight', 'createKey 409 header Retry-After'],
    because:
      'The service whose store says that a first request is in progress has no keys, and so makes none; the other creations show it, by the same code.',
  },
  {
    promises: ['streamAgent', 'sendMessage', 'replyToMessage', 'completeChat']
      .concat('completeResponse')
      .map((operation) => `${operation} 429 example tokens`),
    because:
      'It takes a key with a limit of tokens, and a chat server that counts them; server/api/limits/key-limits.test.ts uses such a limit up.',
  },
  {
    promises: ['addActuals parameter sheet sheet'],
    because: 'The sheets of workbooks are found in one place, of which tests of trainModel and previewTable show them.',
  },
  {
    promises: ['trainModel parameter holidays bavaria'],
    because:
      'A code needs a package that is installed on demand: contract-tests/predictions/holidays.on-demand.test.ts trains with some, and contract-tests/client/files.test.ts is refused without it.',
  },
  {
    promises: ['giveConsent request *', 'issueToken request *', 'revokeToken request *'],
    because:
      'Keys, codes and tokens are random, so that those of an example are never good; contract-tests/oauth sends the same forms with its own.',
  },
];

/** The reasons why `npm run test:rest` alone exercises some promises. */
export const REASONS_OF_THE_REST: readonly Reason[] = [
  {
    promises: [
      ...['get*', 'list*', 'callMcp*', 'complete*', 'streamAgent', 'predict', 'previewTable', 'addActuals'],
      ...['putDocument', 'retrainModel'],
    ].flatMap((operation) => [`${operation} 503`, `${operation} 503 *`]),
    because: 'On SQLite, reads do not wait for writes; on PostgreSQL they wait for a lock.',
  },
  {
    promises: ['create* 409 header Retry-After', 'create* 409 example in_flight'],
    because: 'On SQLite, creations run one after another, so two with the same Idempotency-Key never overlap.',
  },
];
