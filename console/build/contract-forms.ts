import { readFile } from 'node:fs/promises';
import { load } from 'js-yaml';
import type { Plugin } from 'vite';
import { asRecord, isObject } from '../../contract/json-record.js';
import { resolve } from '../../contract/pointer.js';

const CONTRACT = new URL('../../openapi.yaml', import.meta.url);
const MODULE = 'virtual:contract-forms';

/** The resources that the console has forms for: the body that creates one, and its own schema. */
const SCHEMAS = {
  project: ['CreateProjectBody', 'Project'],
  skill: ['CreateSkillBody', 'Skill'],
  agent: ['CreateAgentBody', 'Agent'],
  chatbot: ['CreateChatbotBody', 'Chatbot'],
} as const;

/** The parts of a schema that a form needs. */
const KEPT = [
  'type',
  'minLength',
  'maxLength',
  'pattern',
  'x-roster-message',
  'enum',
  'minimum',
  'additionalProperties',
];

/** The pattern of any text, which nobody's typing breaks: the service checks it. */
const ANY_TEXT = '^[^\\u0000\\ud800-\\udfff]*$';

const OF_PATTERN = ['pattern', 'x-roster-message'];

/** The sentences of descriptions that hold for bodies alone: a form has no null. */
const OF_BODIES_ALONE =
  // bounded: a description in the contract
  / ?Null counts as not sent\.|,? or null for none|\s+In a change, [^.]* null\s+removes [^.]*\./g;

/** Provides the schemas of the forms from the contract, as the module `virtual:contract-forms`. */
export function contractForms(): Plugin {
  return {
    name: 'contract-forms',
    resolveId: (id) => (id === MODULE ? `\0${MODULE}` : null),
    async load(id) {
      if (id !== `\0${MODULE}`) return null;
      const contract = load(await readFile(CONTRACT, 'utf8'));
      const forms = Object.entries(SCHEMAS).map(([kind, [body, resource]]) => [
        kind,
        writeForm(contract, kind, body, resource),
      ]);
      return `export const forms = ${JSON.stringify(Object.fromEntries(forms))};`;
    },
  };
}

function writeForm(contract: unknown, kind: string, body: string, resource: string): object {
  const schemas = read(read(contract, 'components'), 'schemas');
  const sent = read(read(read(schemas, body), 'properties'), kind);
  const kept = read(read(schemas, resource), 'properties');
  const fields = Object.entries(read(sent, 'properties')).flatMap(([name, field]) => {
    const schema = resolved(contract, field);
    if (Reflect.get(schema, 'deprecated') === true) return [];
    const own: unknown = Reflect.get(kept, name);
    // The schema of the resource says what a field is, where bodies share one such as OptionalText.
    const described = own === undefined ? schema : resolved(contract, own);
    const description: unknown = Reflect.get(described, 'description');
    return [[name, formField(contract, `${kind}.${name}`, schema, description)]];
  });
  return { required: Reflect.get(sent, 'required') ?? [], fields: Object.fromEntries(fields) };
}

function formField(contract: unknown, path: string, schema: object, description: unknown): object {
  const properties: unknown = Reflect.get(schema, 'properties');
  const ofType: unknown = Reflect.get(schema, 'x-roster-members-of-type');
  const isOpen = Reflect.get(schema, 'additionalProperties') === true;
  const isAnyText = Reflect.get(schema, 'pattern') === ANY_TEXT;
  const kept = KEPT.filter((key) => !(isAnyText && OF_PATTERN.includes(key)));
  return {
    ...Object.fromEntries(Object.entries(schema).filter(([key]) => kept.includes(key))),
    ...findWords(path, String(description)),
    ...(isObject(properties) && !isOpen && { keys: Object.keys(properties) }),
    ...(isObject(properties) && isOpen && { members: listMembers(contract, path, schema) }),
    ...(isObject(ofType) && {
      membersOfType: Object.fromEntries(
        Object.entries(ofType).map(([type, members]) => [type, listMembers(contract, path, members)]),
      ),
    }),
  };
}

/** Returns the label and the hint of a field. */
function findWords(path: string, description: string): object {
  const { label, hint } = FORM_WORDS[path] ?? FORM_WORDS[path.split('.').at(-1) ?? ''] ?? {};
  return { ...(label && { label }), hint: hint ?? description.trim().replace(OF_BODIES_ALONE, '') };
}

/** Returns the members that an open object is known to have, as a form. */
function listMembers(contract: unknown, path: string, reference: unknown): object {
  const object = resolved(contract, reference);
  const fields = Object.entries(read(object, 'properties')).map(([name, member]) => {
    const schema = resolved(contract, member);
    return [name, formField(contract, `${path}.${name}`, schema, Reflect.get(schema, 'description'))];
  });
  return { required: Reflect.get(object, 'required') ?? [], fields: Object.fromEntries(fields) };
}

/** Returns a schema with what a `$ref` leads to; what stands beside the `$ref` counts more. */
function resolved(contract: unknown, schema: unknown): object {
  return { ...resolve(contract, schema), ...asRecord(schema) };
}

function read(value: unknown, key: string): object {
  const found: unknown = isObject(value) ? Reflect.get(value, key) : undefined;
  if (!isObject(found)) throw new TypeError(`openapi.yaml has no ${key} where the console needs it`);
  return found;
}

/**
 * The words of the forms, for people: a label, where the name of the field is not one, and a hint. The contract's
 * prose is for programmers; a field that has no words here shows it, so that no field is without.
 */
const FORM_WORDS: Readonly<Record<string, { readonly label?: string; readonly hint: string }>> = {
  name: { hint: 'Letters, digits, `_` `.` and `-`. Programs and addresses use it.' },
  'skill.type': {
    hint: '`model` predicts, `sql` reads a database, `knowledge_base` and `retrieval` search documents, `mcp` calls a server. Any other is data for your programs.',
  },
  'skill.params': { hint: 'All settings as JSON. You may add your own keys.' },
  'skill.params.model': { hint: 'It answers with its prediction and how sure it is.' },
  'skill.params.version': { hint: 'Choose one to keep it when a newer one serves.' },
  'skill.params.description': { hint: 'Tells agents when to use it, such as “Estimates the rent of a flat”.' },
  'skill.params.database': { hint: 'Its name in the settings of the service. Ask the people who run it.' },
  'skill.params.tables': { hint: 'What agents may read, with commas between the names.' },
  'skill.params.server': { hint: 'Its name in the settings of the service. Ask the people who run it.' },
  'skill.params.tools': { hint: 'What agents may call, with commas between the names.' },
  'skill.params.source': { hint: 'What the documents are about, such as “Care of diamonds”.' },
  'agent.model_name': { label: 'Language model', hint: 'Leave it empty for the usual one of the service.' },
  'agent.provider': { hint: 'Whose language model it is. A note for people.' },
  'agent.prompt_template': {
    label: 'Instructions',
    hint: 'What the agent is for, and how it answers. `{{question}}` stands for the question.',
  },
  'agent.model': {
    label: 'Language model as JSON',
    hint: 'For programs of earlier versions. No secrets, such as API keys.',
  },
  'agent.data': { hint: 'Tables and documents by name, for your programs. No secrets, such as API keys.' },
  'agent.settings': { hint: 'Your own keys, as JSON.' },
  'chatbot.model_name': { label: 'Language model', hint: 'Only for a chatbot without an agent.' },
  'chatbot.database_name': {
    label: 'Connection',
    hint: 'Where people meet the chatbot, such as a messenger. A note for your programs.',
  },
  'chatbot.settings': { hint: 'All settings as JSON. You may add your own keys.' },
  'chatbot.settings.greeting': { hint: 'The first message of each conversation.' },
  'chatbot.settings.instructions': { hint: 'Added to those of the agent.' },
  'chatbot.settings.history': { hint: 'How many earlier messages go with each question; 20 if empty.' },
};
