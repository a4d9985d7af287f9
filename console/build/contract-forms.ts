import { readFile } from 'node:fs/promises';
import { load } from 'js-yaml';
import type { Plugin } from 'vite';

const CONTRACT = new URL('../../openapi.yaml', import.meta.url);
const MODULE = 'virtual:contract-forms';

/** The bodies that the console has forms for, with the one property that holds the resource. */
const BODIES = {
  project: 'CreateProjectBody',
  skill: 'CreateSkillBody',
  agent: 'CreateAgentBody',
  chatbot: 'CreateChatbotBody',
} as const;

/** What a form needs to know of a field. */
const KEPT = ['type', 'description', 'minLength', 'maxLength', 'pattern', 'enum', 'deprecated'];

/** Provides the schemas of the forms from the contract, as the module `virtual:contract-forms`. */
export function contractForms(): Plugin {
  return {
    name: 'contract-forms',
    resolveId: (id) => (id === MODULE ? `\0${MODULE}` : null),
    async load(id) {
      if (id !== `\0${MODULE}`) return null;
      const schemas = read(read(load(await readFile(CONTRACT, 'utf8')), 'components'), 'schemas');
      const forms = Object.entries(BODIES).map(([kind, body]) => [
        kind,
        formOf(schemas, body, kind),
      ]);
      return `export const forms = ${JSON.stringify(Object.fromEntries(forms))};`;
    },
  };
}

function formOf(schemas: object, body: string, kind: string): object {
  const resource = read(read(read(schemas, body), 'properties'), kind);
  const fields = Object.entries(read(resource, 'properties')).map(([name, field]) => {
    const schema = Object.entries(resolve(schemas, field));
    return [name, Object.fromEntries(schema.filter(([key]) => KEPT.includes(key)))];
  });
  return { required: Reflect.get(resource, 'required') ?? [], fields: Object.fromEntries(fields) };
}

function resolve(schemas: object, schema: unknown): object {
  const reference = isObject(schema) ? Reflect.get(schema, '$ref') : undefined;
  if (typeof reference === 'string') return read(schemas, reference.split('/').at(-1) ?? '');
  if (!isObject(schema)) throw new TypeError('A field of a form has no schema');
  return schema;
}

function read(value: unknown, key: string): object {
  const found: unknown = isObject(value) ? Reflect.get(value, key) : undefined;
  if (!isObject(found))
    throw new TypeError(`openapi.yaml has no ${key} where the console needs it`);
  return found;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
