import { columnName } from 'roster-prediction/predicting';
import type { components } from '../../../generated/openapi.js';
import { omitNulls } from '../../api/idempotency.js';
import { pausing } from '../../common/pausing.js';
import {
  CHOOSING,
  listRegions,
  parseChoices,
  parseEffort,
  parseGoal,
  parseMarks,
  parseValidation,
} from '../../models/training/goal.js';
import { type FieldError, invalidRequest } from '../../problems/problem.js';

type Schemas = components['schemas'];

/** The kinds of a manifest, in its order. */
const KINDS = ['skill', 'document', 'agent', 'chatbot', 'model'] as const;
export type Kind = (typeof KINDS)[number];

/** The fields of each kind in an entry. */
export interface Fields {
  readonly skill: Schemas['ManifestSkill'];
  readonly document: Schemas['ManifestDocument'];
  readonly agent: Schemas['ManifestAgent'];
  readonly chatbot: Schemas['ManifestChatbot'];
  readonly model: Schemas['ManifestModel'];
}

/** An entry of a manifest in its normal form: resources that are equal have the same JSON. */
export type Entry = { readonly [K in Kind]: EntryOf<K> }[Kind];

export interface EntryOf<K extends Kind> {
  readonly kind: K;
  /** Unique among the resources of its kind in a project, and for a document within its skill. */
  readonly key: string;
  readonly fields: Fields[K];
  /** The fields as JSON, under the kind. */
  readonly json: string;
}

/** An entry that was sent, with its pointer, such as `/body/3`. */
export type SentEntry = Entry & { readonly at: string };

/** The largest text of a document in a manifest, in bytes of UTF-8. */
export const MAX_TEXT_BYTES = 500_000;

/**
 * Brings fields into their normal form: without nulls and what is the default, in one order, the keys of open objects
 * sorted.
 */
const NORMALIZE: { readonly [K in Kind]: (fields: Fields[K]) => Fields[K] } = {
  skill: ({ name, type, params }) => ({ name, type, ...openObject('params', params) }),
  document: ({ skill, name, media_type, text }) => ({ skill, name, media_type, text }),
  agent: ({ name, model_name, provider, prompt_template, model, data, skills, settings }) => {
    const texts = omitNulls({ model_name, provider, prompt_template });
    const objects = omitNulls({ model: model && sortKeys(model), data: data && sortKeys(data) });
    const used = [...new Set(skills)];
    return {
      name,
      ...omitUndefined(texts),
      ...omitUndefined(objects),
      ...(used.length > 0 && { skills: used }),
      ...openObject('settings', settings),
    };
  },
  chatbot: ({ name, agent_name, model_name, database_name, settings }) => ({
    name,
    ...omitUndefined(omitNulls({ agent_name, model_name, database_name })),
    ...openObject('settings', settings),
  }),
  model: (fields) => {
    const { name, target, source, task, order_by, horizon, window, promotion, adapt } = fields;
    const { decimal, group, date_order, validate, validate_by, aggregate } = fields;
    const by = validate_by === undefined ? undefined : columnName(validate_by);
    const measured = { validate: validate === 'random' ? undefined : validate, validate_by: by };
    const effort = fields.effort === 'standard' ? undefined : fields.effort;
    const order = order_by === undefined ? undefined : columnName(order_by);
    const lists = [
      ...(['group_by', 'known', 'decimal_point', 'decimal_comma'] as const),
      ...CHOOSING.map(([parameter]) => parameter),
    ];
    const words = (['missing', 'missing_in'] as const).flatMap((list) => {
      const sent = [...new Set(fields[list]?.map((word) => word.trim()))].sort();
      return sent.length > 0 ? [[list, sent] as const] : [];
    });
    const holidays = listRegions(fields.holidays ?? []);
    const columns = lists.flatMap((list) => {
      const names = [...new Set(fields[list]?.map(columnName))].sort();
      return names.length > 0 ? [[list, names] as const] : [];
    });
    return {
      name,
      target: columnName(target),
      source: { database: source.database, query: source.query },
      ...omitUndefined({ task, order_by: order, horizon, window, aggregate }),
      ...omitUndefined({ decimal, group, date_order, ...measured, effort }),
      ...Object.fromEntries([...columns, ...words]),
      ...(holidays.length > 0 && { holidays }),
      ...(promotion !== undefined && promotion !== 'always' && { promotion }),
      ...(adapt === true && { adapt }),
    };
  },
};

/** Returns the fields that are not undefined. */
function omitUndefined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined);
  // Only undefined values were removed, which TypeScript cannot infer from the entries.
  return Object.fromEntries(kept) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/** Returns an open object without the members that are null, which a write removes; nothing if none is left. */
function openObject<F extends 'params' | 'settings'>(
  field: F,
  object: Readonly<Record<string, unknown>> | null | undefined,
): { [K in F]?: Record<string, unknown> } {
  const members = Object.entries(object ?? {}).filter(([, value]) => value !== null);
  if (members.length === 0) return {};
  return { [field]: sortKeys(Object.fromEntries(members)) } as {
    [K in F]: Record<string, unknown>;
  };
}

/** Returns a JSON value with the keys of its objects in order. */
function sortKeys<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sortKeys) as T;
  const members = Object.entries(value).sort(([one], [other]) => compareTexts(one, other));
  // The members are those of the value.
  return Object.fromEntries(members.map(([key, member]) => [key, sortKeys(member)])) as T;
}

/** Orders texts by their UTF-16, as `sort` does. */
export function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Makes the entry of a resource. */
export function makeEntry<K extends Kind>(kind: K, fields: Fields[K]): EntryOf<K> {
  const normal = NORMALIZE[kind](fields);
  const json = `{"${kind}":${JSON.stringify(normal)}}`;
  return { kind, key: makeKey(kind, fields), fields: normal, json };
}

/** Returns a key that sorts as a manifest does: no name has a space. */
export function makeKey(kind: Kind, fields: { readonly name: string; readonly skill?: string }): string {
  const skill = fields.skill === undefined ? '' : `${fields.skill} `;
  return `${KINDS.indexOf(kind)} ${skill}${fields.name}`;
}

export function sortEntries<T extends Entry>(entries: Iterable<T>): T[] {
  return [...entries].sort((one, other) => compareTexts(one.key, other.key));
}

/**
 * Reads the entries of a manifest that was sent, and yields to other requests meanwhile.
 * @throws {ProblemError} if two have one name, or the fields of one do not fit each other
 */
export async function readEntries(sent: Schemas['Manifest']): Promise<ReadonlyMap<string, SentEntry>> {
  const entries = new Map<string, SentEntry>();
  const errors: FieldError[] = [];
  const pause = pausing();
  for (const [index, wrapped] of sent.entries()) {
    const at = `/body/${index}`;
    const entry = readEntry(wrapped);
    const earlier = entries.get(entry.key);
    if (earlier) errors.push(...nameTwice(earlier, { ...entry, at }));
    else entries.set(entry.key, { ...entry, at });
    if (entry.kind === 'model') {
      parseGoal(entry.fields, `${at}/model`);
      const choices = parseChoices(entry.fields, `${at}/model`);
      parseMarks(entry.fields, choices, `${at}/model`);
      parseValidation(entry.fields, `${at}/model`);
      parseEffort(entry.fields, `${at}/model`);
    }
    if (entry.kind === 'document' && Buffer.byteLength(entry.fields.text) > MAX_TEXT_BYTES) {
      const message = `must have at most ${MAX_TEXT_BYTES} bytes in UTF-8; send a larger one with putDocument`;
      errors.push({ pointer: `${at}/document/text`, message });
    }
    await pause();
  }
  if (errors.length > 0) throw invalidRequest(errors);
  return entries;
}

function readEntry({ skill, document, agent, chatbot, model }: Schemas['ManifestEntry']): Entry {
  if (skill) return makeEntry('skill', skill);
  if (document) return makeEntry('document', document);
  if (agent) return makeEntry('agent', agent);
  if (chatbot) return makeEntry('chatbot', chatbot);
  if (model) return makeEntry('model', model);
  throw new Error('An entry of a manifest has a kind');
}

function nameTwice(earlier: SentEntry, later: SentEntry): FieldError[] {
  const { kind } = later;
  const rule = kind === 'document' ? 'a skill has one document of a name' : `a manifest has one ${kind} of a name`;
  return [
    { pointer: `${later.at}/${kind}/name`, message: `is the name of an earlier ${kind}, ${earlier.at}; ${rule}` },
    { pointer: `${earlier.at}/${kind}/name`, message: `is the name of a later ${kind}, ${later.at}` },
  ];
}

/** Returns the fields of a model that its training depends on, as JSON. */
export function writeTraining({ promotion: _, adapt: __, ...trained }: Fields['model']): string {
  return JSON.stringify(trained);
}
