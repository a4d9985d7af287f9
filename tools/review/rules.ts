/**
 * The kinds of difference: the parties that each breaks, with a compatible alternative, and its category for
 * the other parties. Requests are contravariant, responses covariant: a narrower schema breaks senders, and a
 * wider one breaks readers.
 */

/**
 * The parties that a change may break: senders of requests, readers of responses, or every caller of an
 * operation.
 */
export type Party = 'sender' | 'reader' | 'caller';

interface Meaning {
  readonly title: string;
  readonly breaks: { readonly [party in Party]?: string };
  /** For the other parties it is an addition, or just a note. */
  readonly else: 'added' | 'note';
}

const RAISE_LATER =
  'take both for now, mark the old as deprecated, and refuse it with the next major version';
const ADD_BESIDE = 'answer it in a new field beside this one, and leave this one as it was';
const KEEP = 'keep it, mark it as deprecated, and remove it with the next major version';

const meanings = {
  'operation-added': { title: 'operation added', breaks: {}, else: 'added' },
  'operation-removed': { title: 'operation removed', breaks: { caller: KEEP }, else: 'note' },
  'operation-renamed': {
    title: 'operationId changed',
    breaks: { caller: 'keep the operationId: generated clients name their functions after it' },
    else: 'note',
  },
  'operation-moved': {
    title: 'address or method changed',
    breaks: { caller: 'let the old address answer too, as a second, deprecated operation' },
    else: 'note',
  },
  'path-parameter-renamed': {
    title: 'path parameter renamed',
    breaks: { caller: 'keep the name: typed clients pass the parameter by it' },
    else: 'note',
  },
  'server-added': { title: 'server added', breaks: {}, else: 'added' },
  'server-removed': { title: 'server removed', breaks: { caller: KEEP }, else: 'note' },
  'scheme-changed': {
    title: 'security scheme changed',
    breaks: { caller: 'add a second scheme, and take either' },
    else: 'note',
  },
  'security-tightened': {
    title: 'more is asked of the caller’s key',
    breaks: {
      sender: 'ask for it in a new operation, or go on taking the scopes that were enough',
    },
    else: 'note',
  },
  'security-loosened': { title: 'less is asked of the caller’s key', breaks: {}, else: 'added' },
  'parameter-added': { title: 'parameter added', breaks: {}, else: 'added' },
  'required-parameter-added': {
    title: 'required parameter added',
    breaks: { sender: 'make it optional, with the behaviour until now as its default' },
    else: 'note',
  },
  'parameter-removed': { title: 'parameter removed', breaks: { sender: KEEP }, else: 'note' },
  'parameter-serialization-changed': {
    title: 'parameter written in another way',
    breaks: { sender: 'add a parameter of another name, and keep this one' },
    else: 'note',
  },
  'required-now': {
    title: 'required now',
    breaks: { sender: 'leave it optional, with the behaviour until now as its default' },
    else: 'added',
  },
  'optional-now': {
    title: 'no longer required',
    breaks: {
      reader:
        'always answer it; where there is no value, make that plain with one of the values it has',
    },
    else: 'added',
  },
  'body-added': { title: 'body added', breaks: {}, else: 'added' },
  'required-body-added': {
    title: 'required body added',
    breaks: { sender: 'make the body optional' },
    else: 'note',
  },
  'body-removed': { title: 'body removed', breaks: { sender: KEEP, reader: KEEP }, else: 'note' },
  'media-type-added': { title: 'media type added', breaks: {}, else: 'added' },
  'media-type-removed': {
    title: 'media type removed',
    breaks: { sender: KEEP, reader: KEEP },
    else: 'note',
  },
  'encoding-changed': {
    title: 'encoding of a part changed',
    breaks: { sender: RAISE_LATER },
    else: 'note',
  },
  'status-added': { title: 'status added', breaks: {}, else: 'added' },
  'status-removed': {
    title: 'status removed',
    breaks: { reader: 'go on answering with it in the case that it was for' },
    else: 'note',
  },
  'header-added': { title: 'header added', breaks: {}, else: 'added' },
  'header-removed': { title: 'header removed', breaks: { reader: KEEP }, else: 'note' },
  'link-added': { title: 'link added', breaks: {}, else: 'added' },
  'link-removed': { title: 'link removed', breaks: { reader: KEEP }, else: 'note' },
  'link-changed': {
    title: 'link leads elsewhere',
    breaks: { reader: 'add a link of another name' },
    else: 'note',
  },

  'field-added': { title: 'field added', breaks: {}, else: 'added' },
  'required-field-added': {
    title: 'required field added',
    breaks: { sender: 'make it optional, with the behaviour until now as its default' },
    else: 'added',
  },
  'field-removed': {
    title: 'field removed',
    breaks: { sender: KEEP, reader: KEEP },
    else: 'note',
  },
  'required-field-removed': {
    title: 'required field removed',
    breaks: { sender: KEEP, reader: KEEP },
    else: 'note',
  },
  'field-recognized': { title: 'field added', breaks: {}, else: 'added' },
  'field-ignored': { title: 'field removed; still taken, as any other', breaks: {}, else: 'note' },
  'closed-to-other-fields': {
    title: 'other fields are refused',
    breaks: { sender: 'go on taking other fields, and ignore them' },
    else: 'note',
  },
  'opened-to-other-fields': { title: 'other fields are possible', breaks: {}, else: 'note' },
  'type-narrowed': { title: 'type narrowed', breaks: { sender: RAISE_LATER }, else: 'note' },
  'type-widened': { title: 'type widened', breaks: { reader: ADD_BESIDE }, else: 'added' },
  'type-changed': {
    title: 'type changed',
    breaks: { sender: RAISE_LATER, reader: ADD_BESIDE },
    else: 'note',
  },
  'null-removed': {
    title: 'null no longer possible',
    breaks: { sender: RAISE_LATER },
    else: 'note',
  },
  'null-added': {
    title: 'null possible',
    breaks: { reader: 'answer an empty value of the old type, or a new field beside it' },
    else: 'added',
  },
  'value-removed': { title: 'value removed', breaks: { sender: RAISE_LATER }, else: 'note' },
  'value-added': {
    title: 'value added',
    breaks: { reader: 'answer the nearest old value here, and the new one in a field of its own' },
    else: 'added',
  },
  'bound-tightened': { title: 'bound tightened', breaks: { sender: RAISE_LATER }, else: 'note' },
  'bound-loosened': { title: 'bound loosened', breaks: {}, else: 'note' },
  'pattern-added': { title: 'pattern added', breaks: { sender: RAISE_LATER }, else: 'note' },
  'pattern-removed': { title: 'pattern removed', breaks: {}, else: 'note' },
  'pattern-changed': {
    title: 'pattern changed',
    breaks: {
      sender:
        'if every text that fitted still fits, say so in the pull request; else take the old form too',
    },
    else: 'note',
  },
  'format-narrowed': { title: 'format narrowed', breaks: { sender: RAISE_LATER }, else: 'note' },
  'format-widened': { title: 'format widened', breaks: { reader: ADD_BESIDE }, else: 'added' },
  'format-changed': {
    title: 'format changed',
    breaks: { sender: RAISE_LATER, reader: ADD_BESIDE },
    else: 'note',
  },
  'condition-added': { title: 'rule added', breaks: { sender: RAISE_LATER }, else: 'note' },
  'condition-removed': {
    title: 'rule removed',
    breaks: { reader: 'keep to the rule in what is answered' },
    else: 'note',
  },
  'form-removed': { title: 'form removed', breaks: { sender: RAISE_LATER }, else: 'note' },
  'form-added': {
    title: 'form added',
    breaks: { reader: 'answer the new form only to those who ask for it, or under another status' },
    else: 'added',
  },
  deprecated: { title: 'deprecated', breaks: {}, else: 'note' },
  'no-longer-deprecated': { title: 'no longer deprecated', breaks: {}, else: 'note' },
  'default-changed': { title: 'default changed', breaks: {}, else: 'note' },
  'keyword-changed': {
    title: 'changed, and not compared: judge it yourself',
    breaks: {},
    else: 'note',
  },
} satisfies Record<string, Meaning>;

export type Rule = keyof typeof meanings;

/** The kinds of difference, and their meaning. */
export const RULES: { readonly [rule in Rule]: Meaning } = meanings;
