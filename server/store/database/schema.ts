import type { ColumnType, Generated } from 'kysely';

/** A moment in ISO 8601, UTC. Text in every database: it sorts, and reads the same everywhere. */
type Moment = string;
/** JSON as text: what was sent comes back to the letter, which a database's own JSON type may not grant. */
type Json = string;
/** A UUIDv7: ids sort by their time of creation, and so lists are in that order. */
type Id = string;

export interface Database {
  /** The bytes that each owner stores, kept by `quota.ts`. An owner who stores nothing may have no row. */
  owner_storage: {
    owner: string;
    /** JSON and long text of all projects, trained models, and tables that wait for their training or to be swept. */
    bytes: Generated<number | string>;
    /** The answers in `kept_answers`. */
    answer_bytes: Generated<number | string>;
    /** When a training of the owner was taken up last: milliseconds since 1970, by the clock of the database. */
    trained_at: Generated<number | string>;
  };
  /** Each with counters of what it holds, which `quota.ts` keeps: a project is never counted through. */
  projects: {
    id: Id;
    owner: string;
    name: string;
    created_at: Moment;
    skills: Generated<number>;
    agents: Generated<number>;
    chatbots: Generated<number>;
    models: Generated<number>;
    /** The bytes of JSON and long text of its skills, agents and chatbots. */
    bytes: Generated<number>;
    /** The rows of `agent_skills` of its agents. */
    uses: Generated<number>;
  };
  skills: { id: Id; project_id: Id; name: string; type: string; params: Json; created_at: Moment; updated_at: Moment };
  /** The documents of skills, without their texts. */
  documents: {
    id: Id;
    skill_id: Id;
    name: string;
    media_type: 'text/plain' | 'text/markdown';
    /** The size of the text in UTF-8. */
    bytes: number;
    passages: number;
    created_at: Moment;
    updated_at: Moment;
  };
  /** The texts of documents, and texts that wait for their document or to be swept. */
  document_texts: {
    id: Id;
    owner: string;
    /** None before a document has the text, and none after it has another or is deleted. */
    document_id: Id | null;
    /** The bytes that it counts towards the storage of its owner. */
    bytes: number;
    /** Until when it may wait for its document, in milliseconds since 1970; 0 if none is to come. */
    upload_until: number;
  };
  /** The parts of texts, which `resources/documents/passage-index.ts` finds. */
  passages: {
    id: Generated<number | string>;
    text_id: Id;
    /** From 1; the contents in this order are the text. */
    number: number;
    headings: string;
    content: string;
  };
  agents: {
    id: Id;
    project_id: Id;
    name: string;
    model_name: string | null;
    provider: string | null;
    prompt_template: string | null;
    model: Json | null;
    data: Json | null;
    settings: Json;
    created_at: Moment;
    updated_at: Moment;
  };
  /** Which agent uses which skill; `position` orders the skills of an agent. */
  agent_skills: { agent_id: Id; skill_id: Id; position: number };
  chatbots: {
    id: Id;
    project_id: Id;
    name: string;
    agent_id: Id | null;
    model_name: string | null;
    database_name: string | null;
    settings: Json;
    created_at: Moment;
    updated_at: Moment;
  };
  conversations: {
    id: Id;
    /** None once it is deleted, or its chatbot: the sweep then deletes its messages. */
    chatbot_id: Id | null;
    title: string | null;
    messages: Generated<number>;
    /** The bytes of the conversation and its messages, which count towards the owner's. */
    bytes: number | string;
    /** The claim of the answer in progress, its question, and the end of its lease: milliseconds since 1970. */
    answering: string | null;
    answering_message: Id | null;
    answering_until: number | string | null;
    created_at: Moment;
    updated_at: Moment;
  };
  messages: {
    id: Id;
    conversation_id: Id;
    role: 'user' | 'assistant';
    content: string;
    /** The message that a reply answers; there is one reply to each at most. */
    reply_to: Id | null;
    steps: Json;
    usage: Json | null;
    /** The Idempotency-Key of a message of a person, its owner, and the fingerprint of the request. */
    key_owner: string | null;
    idempotency_key: string | null;
    fingerprint: string | null;
    created_at: Moment;
  };
  models: {
    id: Id;
    project_id: Id;
    name: string;
    /** For people; null for none. */
    description: string | null;
    created_at: Moment;
    /** The number of the version that began last: those of deleted versions are not used again. */
    last_version: Generated<number>;
    /** The version that answers predictions: none before the first is ready. */
    serving_version: number | null;
    /** Which new versions serve as soon as they are ready. */
    promotion: Generated<'always' | 'if_not_worse' | 'manual'>;
    /** 1 if answers are adapted to truths; else 0. */
    adapt: Generated<number>;
  };
  model_versions: {
    id: Id;
    model_id: Id;
    version: number;
    status: 'training' | 'ready' | 'failed';
    progress: Generated<number>;
    /** The remaining time of a training that runs, at its pace so far; null where it cannot be estimated. */
    seconds_left: number | null;
    failure: string | null;
    target: string;
    /** The form of the target's values; null for plain numbers and for classes. */
    target_reading: Json | null;
    task: 'regression' | 'classification' | 'forecast';
    /** The series, and the facts of the table's order; null for other tasks. */
    forecast: Json | null;
    row_count: number;
    /** The operator's database and the query that the table came from; null for a table that was sent. */
    source_database: string | null;
    source_query: string | null;
    /** The uses of columns that were chosen, as pairs of a name and a choice; null for none. */
    column_choices: Json | null;
    /** The named meaning of marks in the table's texts; null if none was named. */
    table_marks: Json | null;
    /** The rows of the table, and what was found in it; null where an earlier release has read it. */
    table_report: Json | null;
    /** The choice of the rows that measure it; null for random ones. */
    validation: Json | null;
    /** Null for forecasts, and where an earlier release has begun the training. */
    effort: 'fast' | 'standard' | 'best' | null;
    columns: Json | null;
    metrics: Json | null;
    classes: Json | null;
    summary: string | null;
    training_seconds: number | null;
    /** The SHA-256 of the artifact, in hexadecimal. */
    checksum: string | null;
    /** How it did beside the version that served; null where they were not to be compared. */
    comparison: Json | null;
    /** The size of the source, the choices and the report, and of the artifact with its texts where there is one. */
    bytes: Generated<number | string>;
    /** The number of attempts to train this version, limited because a training may end the service. */
    attempts: Generated<number>;
    /** The instance that trains it, and until when it is not to be disturbed: milliseconds since 1970. */
    claimed_by: string | null;
    claimed_until: number | null;
    updated_at: Moment;
  };
  /** The trained models, apart from the rows that every request reads. */
  model_artifacts: {
    version_id: Id;
    bytes: ColumnType<Uint8Array>;
    /** The rows that it was trained on, as `SeenRows` encodes them; null for forecasts and earlier releases. */
    seen_rows: ColumnType<Uint8Array | null>;
    /** Bins of some of them, as `sampleBins` wrote them; null for forecasts and earlier releases. */
    sample: ColumnType<Uint8Array | null>;
    /** Its largest errors, as `getErrors` answers them; null for versions of earlier releases. */
    errors: Json | null;
  };
  /** The tables of trainings that have not ended: a training that was cut short begins again from here. */
  training_tables: {
    id: Id;
    /** The training that has it: none before it begins, and none after it has ended. */
    version_id: Id | null;
    /** The number of parts, once a training has the table. */
    parts: Generated<number>;
    owner: string;
    /** The size of its parts. */
    bytes: Generated<number | string>;
    /** Until when it may wait for its training, in milliseconds since 1970; 0 if no training is to come. */
    upload_until: number;
  };
  training_table_parts: { table_id: Id; position: number; bytes: ColumnType<Uint8Array> };
  api_keys: {
    id: string;
    name: string;
    owner: string;
    scopes: Json;
    /** The SHA-256 of the secret, in hexadecimal. */
    hash: string;
    /** The most in a period, by what is limited; null for a key without limits. */
    limits: Json | null;
    /** The only project that the key sees, also when it is gone; null for all of its owner. */
    project_id: Id | null;
    /** The id of the key that made it, or `oidc:` and a subject; null if a command did. */
    made_by: string | null;
    created_at: Moment;
    expires_at: Moment | null;
    revoked_at: Moment | null;
    last_used_at: Moment | null;
  };
  /** The use of the limits of keys and identities, with the slices that instances have taken. */
  key_usage: {
    /** The id of a key, which may be gone, or `oidc:` and a subject. */
    key_id: string;
    /** Of the limit. */
    name: string;
    /** The beginning of the period: milliseconds since 1970, by the clock of the database. */
    began: number | string;
    used: number | string;
  };
  /**
   * The responses of agents that clients of OpenAI's API continue. Unlike conversations, which a chatbot has, two may
   * continue the same one, they have calls of the client's tools, and they are deleted when nobody continues them.
   */
  responses: {
    id: string;
    owner: string;
    /** That of the agent. It may be gone. */
    project_id: Id;
    /** The response that it continues, which may be gone. */
    previous_id: string | null;
    /** The bytes of the row, which count towards the owner's. */
    bytes: number | string;
    /** When it was made or continued last. */
    used_at: Moment;
    /** The question and the answer, as input of those that continue it. */
    items: Json;
    /** The response. */
    body: Json;
  };
  /** Predicted rows that were remembered, in batches: the rows of an answer from one number on. */
  promises: {
    /** Ids grow with time: of two promises of one id, the latest is the one of the larger id of batch. */
    id: Id;
    /** The id of the answer, with which those of its rows begin; small answers share one. */
    answer_id: string;
    /** The number of the first row in the answer, from 0. */
    first_row: number;
    row_count: number;
    model_id: Id;
    /** The number of the version, which may be gone. */
    version: number;
    owner: string;
    /** When it was promised: milliseconds since 1970, by the clock of the database. */
    made_at: number | string;
    /** 1 if the rows have ids of the caller's own, or of the steps of series; else 0. */
    has_ids: number;
    /** The bytes of the batch with room for its truths, which count towards the owner's. */
    bytes: number | string;
    /** The rows whose truth has come, and when one came last. */
    truth_count: Generated<number>;
    truths_at: number | string | null;
    /** As `TruthSheet` encodes them; null before the first. */
    truths: ColumnType<Uint8Array | null>;
  };
  /** The bytes of a batch that do not change. */
  promise_bytes: {
    batch_id: Id;
    /** A float64 a row: the hash of its id. */
    ids: ColumnType<Uint8Array | null>;
    /** As `decodePromises` reads them. */
    promises: ColumnType<Uint8Array>;
  };
  /** The outcome of the promises of a version. Unlike the version, it stays until the model is deleted. */
  records: {
    model_id: Id;
    version: number;
    /** The running state, to which each new truth is added once: `RunningRecord`. */
    state: Json;
    /** The facts by which the promises are understood: `PromiseSubject`. */
    subject: Json;
    /** When the alarm was raised, by the clock of the database; null if it was not. */
    alarm_at: number | string | null;
    /** When it was reported to the operator; null if it was not yet. */
    alarm_told_at: number | string | null;
    /** The number of attempts to report it, and the time of the next one, also while an attempt is in progress. */
    alarm_tries: Generated<number>;
    claimed_until: number | string | null;
  };
  /** The consents of holders of keys to clients of OAuth: one row a consent, for its code and then its tokens. */
  oauth_grants: {
    id: string;
    key_id: string;
    /** The only project that its tokens see. */
    project_id: Id;
    /** The path that its tokens are for, such as `/mcp`. */
    resource: string;
    scopes: Json;
    client_id: string;
    client_name: string;
    redirect_uri: string;
    /** The SHA-256 of the client's verifier, in base64url. */
    challenge: string;
    /** The SHA-256 of each secret, in hexadecimal; the two last are null until the code was used. */
    code_hash: string;
    access_hash: string | null;
    refresh_hash: string | null;
    /** The ends of the access token, and of the code or the refresh token: milliseconds since 1970. */
    access_until: number | string;
    valid_until: number | string;
    /** Access tokens beside the one of `access_hash`, which has all scopes and is the newest: `AccessToken[]`. */
    other_access: Generated<Json>;
    /** The SHA-256 of the refresh token that the current one replaced; null if there was none. */
    used_refresh_hash: Generated<string | null>;
    /**
     * The random text from which, together with a refresh token, its successor and its access tokens follow.
     * Null a minute after that was made.
     */
    refresh_seed: Generated<string | null>;
    /** When the current refresh token was made: milliseconds since 1970. */
    refresh_since: Generated<number | string | null>;
    created_at: Moment;
  };
  /** The calls of tools of MCP that run on any instance, so that each instance can cancel them. */
  running_calls: {
    id: string;
    /** The SHA-256 of the caller, the session and the id of the request, in hexadecimal. */
    name: string;
    /** By the clock of the database: milliseconds since 1970. */
    began_at: number | string;
    cancelled_at: Generated<number | string | null>;
  };
  /** The audit log, which `audit.ts` writes. The time of an event is that of its id. */
  audit_events: {
    id: Id;
    owner: string;
    /** From 1, without gaps, in the chain of the owner. */
    sequence: number | string;
    operation: string | null;
    resource: string;
    key_id: string | null;
    subject: string | null;
    request_id: string | null;
    address: string | null;
    user_agent: string | null;
    problem: string | null;
    count: number;
    /** The SHA-256 of the hash before it and of the facts, in hexadecimal. */
    hash: string;
  };
  /** The last event of each owner, and the last one that was deleted for its age: 0 and empty if none was. */
  audit_chains: {
    owner: string;
    sequence: number | string;
    hash: string;
    cut_sequence: Generated<number | string>;
    cut_hash: Generated<string>;
  };
  /** The first answers to requests that carry an Idempotency-Key. */
  kept_answers: {
    owner: string;
    key: string;
    fingerprint: string;
    headers: Json;
    body: string;
    /** The size of what is kept. */
    bytes: Generated<number | string>;
    created_at: Moment;
  };
}
