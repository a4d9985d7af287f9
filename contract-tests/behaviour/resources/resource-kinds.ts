/** The kinds of resource that are written as JSON, for tests of their common behaviour. */

/** A kind of resource inside a project. */
export interface Kind {
  /** The key that wraps a write: `{ skill: {…} }`. */
  kind: 'skill' | 'agent' | 'chatbot';
  /** The last segment of the address of its list. */
  list: string;
  /** The fields that a write requires beside the name. */
  required: Record<string, unknown>;
  /** The field whose keys are the user's own, and which an update merges. */
  open: 'params' | 'settings';
}

export const kinds: Kind[] = [
  { kind: 'skill', list: 'skills', required: { type: 'lookup' }, open: 'params' },
  { kind: 'agent', list: 'agents', required: {}, open: 'settings' },
  { kind: 'chatbot', list: 'chatbots', required: {}, open: 'settings' },
];
