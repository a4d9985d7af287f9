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
  /** For the other parties it is an addition, a note, or a remark that leaves the possible values as they are. */
  readonly else: 'added' | 'note' | 'remark';
}

const RAISE_LATER = 'take both for now, mark the old as deprecated, and refuse it with the next major version';
const ADD_BESIDE = 'answer it in a new field beside this one, and leave this one as it was';
const KEEP = 'keep it, mark it as deprecated, and remove it with the next major version';
const BY_DEFAULT = 'with the behaviour until now as its default';

function added(title: string, breaks: Meaning['breaks'] = {}): Meaning {
  return { title, breaks, else: 'added' };
}

function note(title: string, breaks: Meaning['breaks'] = {}): Meaning {
  return { title, breaks, else: 'note' };
}

function remark(title: string): Meaning {
  return { title, breaks: {}, else: 'remark' };
}

const PROMISED = 'keep the date that was announced, or name a later one';
const promised = { caller: PROMISED, sender: PROMISED, reader: PROMISED };

const meanings = {
  'operation-added': added('operation added'),
  'operation-removed': note('operation removed', { caller: KEEP }),
  'operation-renamed': note('operationId changed', {
    caller: 'keep the operationId: generated clients name their functions after it',
  }),
  'operation-moved': note('address or method changed', {
    caller: 'let the old address answer too, as a second, deprecated operation',
  }),
  'first-tag-changed': note('first tag changed', {
    caller: 'keep the first tag: generated clients put the method into a group of that name',
  }),
  'webhook-added': added('webhook or callback added'),
  'webhook-removed': note('webhook or callback removed', { reader: KEEP }),
  'path-parameter-renamed': note('path parameter renamed', {
    caller: 'keep the name: typed clients pass the parameter by it',
  }),
  'server-added': added('server added'),
  'server-removed': note('server removed', { caller: KEEP }),
  'scheme-changed': note('security scheme changed', { caller: 'add a second scheme, and take either' }),
  'security-tightened': note('more is asked of the caller’s key', {
    sender: 'ask for it in a new operation, or go on taking the scopes that were enough',
  }),
  'security-loosened': added('less is asked of the caller’s key'),
  'parameter-added': added('parameter added'),
  'required-parameter-added': note('required parameter added', { sender: `make it optional, ${BY_DEFAULT}` }),
  'parameter-removed': note('parameter removed', { sender: KEEP, reader: KEEP }),
  'parameter-serialization-changed': note('parameter written in another way', {
    sender: 'add a parameter of another name, and keep this one',
  }),
  'required-now': added('required now', { sender: `leave it optional, ${BY_DEFAULT}` }),
  'optional-now': added('no longer required', {
    reader: 'always answer it; where there is no value, make that plain with one of the values it has',
  }),
  'body-added': added('body added'),
  'required-body-added': note('required body added', { sender: 'make the body optional' }),
  'body-removed': note('body removed', { sender: KEEP, reader: KEEP }),
  'media-type-added': added('media type added'),
  'media-type-removed': note('media type removed', { sender: KEEP, reader: KEEP }),
  'media-type-widened': added('media type widened', { reader: 'answer another type only to those who ask for it' }),
  'media-type-narrowed': note('media type narrowed', { sender: RAISE_LATER }),
  'encoding-changed': note('encoding of a part changed', { sender: RAISE_LATER }),
  'status-added': added('status added'),
  'status-removed': note('status removed', { reader: 'go on answering with it in the case that it was for' }),
  'error-status-removed': note('error status removed'),
  'header-added': added('header added'),
  'header-removed': note('header removed', { reader: KEEP }),
  'link-added': added('link added'),
  'link-removed': note('link removed', { reader: KEEP }),
  'link-changed': note('link leads elsewhere', { reader: 'add a link of another name' }),

  'field-added': added('field added'),
  'required-field-added': added('required field added', { sender: `make it optional, ${BY_DEFAULT}` }),
  'field-removed': note('field removed', { sender: KEEP, reader: KEEP }),
  'required-field-removed': note('required field removed', { sender: KEEP, reader: KEEP }),
  'field-recognized': added('field added'),
  'field-ignored': note('field removed; still taken, as any other'),
  'closed-to-other-fields': note('other fields are refused', { sender: 'go on taking other fields, and ignore them' }),
  'opened-to-other-fields': note('other fields are possible'),
  'type-narrowed': note('type narrowed', { sender: RAISE_LATER }),
  'type-widened': added('type widened', { reader: ADD_BESIDE }),
  'type-changed': note('type changed', { sender: RAISE_LATER, reader: ADD_BESIDE }),
  'null-removed': note('null no longer possible', { sender: RAISE_LATER }),
  'null-added': added('null possible', { reader: 'answer an empty value of the old type, or a new field beside it' }),
  'value-removed': note('value removed', { sender: RAISE_LATER }),
  'value-added': added('value added', {
    reader: 'answer the nearest old value here, and the new one in a field of its own',
  }),
  'bound-tightened': note('bound tightened', { sender: RAISE_LATER }),
  'bound-loosened': note('bound loosened', { reader: 'answer within the old bound, or in a new field beside it' }),
  'pattern-added': note('pattern added', { sender: RAISE_LATER }),
  'pattern-removed': note('pattern removed'),
  'pattern-changed': note('pattern changed', {
    sender: 'if every text that fitted still fits, say so in the pull request; else take the old form too',
  }),
  'format-narrowed': note('format narrowed', { sender: RAISE_LATER }),
  'format-widened': added('format widened', { reader: ADD_BESIDE }),
  'format-changed': note('format changed', { sender: RAISE_LATER, reader: ADD_BESIDE }),
  'condition-added': note('rule added', { sender: RAISE_LATER }),
  'condition-removed': note('rule removed', { reader: 'keep to the rule in what is answered' }),
  'form-removed': note('form removed', { sender: RAISE_LATER }),
  'form-added': added('form added', {
    reader: 'answer the new form only to those who ask for it, or under another status',
  }),
  retired: note('removed after its sunset'),
  'sunset-shortened': note('sunset moved nearer', promised),
  'sunset-removed': note('sunset removed', promised),
  'sunset-extended': remark('sunset moved later'),
  deprecated: remark('deprecated'),
  'no-longer-deprecated': remark('no longer deprecated'),
  'default-changed': {
    title: 'default changed',
    breaks: { sender: 'keep the default: those who leave it out depend on it' },
    else: 'remark',
  },
  'discriminator-changed': remark('discriminator changed'),
  'keyword-changed': remark('changed, and not compared: judge it yourself'),
} satisfies Record<string, Meaning>;

export type Rule = keyof typeof meanings;

/** The kinds of difference, and their meaning. */
export const RULES: { readonly [rule in Rule]: Meaning } = meanings;
