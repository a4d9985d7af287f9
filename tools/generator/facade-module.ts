import { ContractError, type Document, isProblem } from '../../contract/document-schema.js';
import { asRecord, type JsonRecord } from '../../contract/json-record.js';
import { listOperations, type Operation } from '../../contract/operations.js';
import { referenceName, resolve } from '../../contract/pointer.js';

/** An operation as a method of the client's façade. */
interface Verb {
  readonly resource: string;
  readonly name: string;
  readonly operation: Operation;
  /** The parameters of the address that are arguments, in its order: the name in the contract, and that of the argument. */
  readonly names: readonly (readonly [string, string])[];
  /** The member that a JSON body consists of, such as `skill`. */
  readonly wraps: string | undefined;
  readonly reads: 'json' | 'list' | 'text' | 'blob' | 'nothing' | 'events';
  readonly definition: JsonRecord;
}

/** Types of the client that the façade is written in. */
const HELPERS = [
  'Bytes',
  'Call',
  'CallOptions',
  'CreationOfType',
  'Events',
  'JsonAnswer',
  'JsonBody',
  'List',
  'PathValue',
  'QueryValue',
  'Read',
  'UpdateOfType',
];

/**
 * Returns the client's module of the façade: its types, with the sentences of the contract, and the table that it runs
 * on. An operation is named by its `operationId`: `createSkill` is `skills.create`. One whose name has no resource is
 * named by its tag: `models.predict`.
 *
 * @throws {ContractError} if two operations get one name
 */
export function facadeModule(document: Document): string {
  const verbs = listVerbs(document);
  const resources = new Map<string, Verb[]>();
  for (const verb of verbs) {
    resources.set(verb.resource, [...(resources.get(verb.resource) ?? []), verb]);
  }
  const problems = new Map(
    verbs.map(({ operation, definition }) => [operation.id, listProblems(document, definition)]),
  );
  const withKey = verbs.filter(({ operation }) => !operation.isOpen);
  const common = (problems.get(withKey[0]?.operation.id ?? '') ?? []).filter((name) =>
    withKey.every(({ operation }) => problems.get(operation.id)?.includes(name)),
  );
  const writer = new TypeWriter(document, problems, common);
  const interfaces = [...resources].map(([resource, verbs]) => writer.resource(resource, verbs));
  const rows = [...resources].map(([resource, verbs]) => `  ${resource}: {\n${verbs.map(writeRow).join('\n')}\n  },`);
  const members = [...resources.keys()].map(
    (resource) => `${writer.about(resource, '  ')}  readonly ${resource}: ${toPascalCase(resource)}Operations;`,
  );
  const types = `type Schemas = components['schemas'];
/** A schema as an interface, which editors show by its name. */
type Shape<Name extends keyof Schemas> = Schemas[Name];

${writer.schemas()}

/** The problems that any request with a key may get. */
export type CommonProblem =
${common.map((name) => `  | ${name}`).join('\n')};

${writer.declarations()}

${interfaces.join('\n\n')}

/** The operations of the contract, by resource. */
export interface Resources {
${members.join('\n')}
}`;
  const used = HELPERS.filter((helper) => new RegExp(`\\b${helper}\\b`).test(types));
  return `/** Made by \`npm run generate\` from openapi.yaml: do not edit. */
import type {
${[...used, 'FacadeOperation']
  .sort()
  .map((name) => `  ${name},`)
  .join('\n')}
} from '../client/src/facade/types.js';
import type { components } from './openapi.js';

${types}

/** The request of each method of the façade. */
export const FACADE = {
${rows.join('\n')}
} as const satisfies {
  readonly [Resource in keyof Resources]: { readonly [Name in keyof Resources[Resource]]: FacadeOperation };
};
`;
}

function listVerbs(document: Document): Verb[] {
  // Clients of OAuth and browsers call the others.
  const operations = listOperations(document).filter(({ speaksOauth }) => !speaksOauth);
  const nouns = operations.flatMap(({ id }) => /^list([A-Z]\w*)s$/.exec(id)?.[1] ?? []);
  const tags = (document.tags ?? []).map(({ name }) => name);
  const verbs = operations.flatMap((operation) => {
    const definition = asRecord(asRecord(document.paths[operation.path])[operation.method]);
    const [tag] = [definition['tags']].flat().map(String);
    const { resource, name } = nameVerb(operation.id, nouns, tags, tag ?? '');
    const verb = {
      resource,
      name,
      operation,
      names: listNames(operation, resource),
      wraps: findWrapper(document, operation),
      reads: findReading(operation),
      definition,
    };
    return verb.reads === 'json' && sendsAgentEvents(document, definition)
      ? [verb, { ...verb, name: `${name}Events`, reads: 'events' as const }]
      : [verb];
  });
  const seen = new Map<string, string>();
  for (const { resource, name, operation } of verbs) {
    const other = seen.get(`${resource}.${name}`);
    if (other) {
      throw new ContractError(
        `openapi.yaml: the operations ${other} and ${operation.id} would both be ${resource}.${name} of the client; rename one`,
      );
    }
    seen.set(`${resource}.${name}`, operation.id);
  }
  return verbs;
}

/** Splits an operationId into a resource and the rest: `deleteAgentByPlural` is `deleteByPlural` of `agents`. */
function nameVerb(
  id: string,
  nouns: readonly string[],
  tags: readonly string[],
  tag: string,
): { resource: string; name: string } {
  const resources = new Map([
    ...tags.map((name): [string, string] => [toPascalCase(name), name]),
    ...nouns.flatMap((noun): [string, string][] => [
      [`${noun}s`, `${lowerFirst(noun)}s`],
      [noun, `${lowerFirst(noun)}s`],
    ]),
  ]);
  const choice = [...resources.keys()].sort((one, other) => other.length - one.length).join('|');
  const [, verb = '', noun = '', rest = ''] = new RegExp(`^([a-z]\\w*?)(${choice})(?=[A-Z]|$)(\\w*)$`).exec(id) ?? [];
  const resource = resources.get(noun);
  return resource ? { resource, name: verb + rest } : { resource: tag, name: id };
}

/** An argument for the resource itself is `name` or `id`; one for its container, `skill` or `model`. */
function listNames({ path }: Operation, resource: string): [string, string][] {
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter);
  return parameters.flatMap((parameter): [string, string][] => {
    const [, noun = parameter, kind = ''] = /^(\w+?)_?(name|id)$/i.exec(parameter) ?? [];
    if (noun === 'project' && resource !== 'projects') return [];
    return [[parameter, `${noun}s` === resource && kind ? kind.toLowerCase() : toCamelCase(noun)]];
  });
}

function findWrapper(document: Document, { bodySchema }: Operation): string | undefined {
  const { properties } = resolve(document, bodySchema);
  const [only, ...others] = Object.entries(asRecord(properties));
  if (!only || others.length > 0) return undefined;
  const { properties: members } = resolve(document, only[1]);
  return members ? only[0] : undefined;
}

function findReading({ id, produces }: Operation): Verb['reads'] {
  if (produces.includes('application/json')) return id.startsWith('list') ? 'list' : 'json';
  if (produces.includes('text/event-stream')) return 'events';
  if (produces.length === 0) return 'nothing';
  return produces.every((type) => type.startsWith('text/')) ? 'text' : 'blob';
}

/** Returns whether an operation also answers with events that the client reads. OpenAI's events are for its clients. */
function sendsAgentEvents(document: Document, { responses }: JsonRecord): boolean {
  const { content } = resolve(document, asRecord(responses)['200']);
  const { schema } = asRecord(asRecord(content)['text/event-stream']);
  return referenceName(asRecord(schema)['x-roster-event']) === 'AgentEvent';
}

function writeRow({ name, operation, wraps, reads, ...verb }: Verb): string {
  const headers = operation.headers.map(([, header]) => toCamelCase(header));
  const query = operation.parameters.filter((given) => given['in'] === 'query').map((given) => given['name']);
  const row = {
    id: operation.id,
    method: operation.method.toUpperCase(),
    path: operation.path,
    names: verb.names.map(([parameter]) => parameter),
    reads,
    ...(operation.consumes.length > 0 && { consumes: operation.consumes }),
    ...(wraps && { wraps }),
    ...(query.length > 0 && { query }),
    ...(headers.length > 0 && { headers }),
  };
  return `    ${name}: ${JSON.stringify(row)},`;
}

/** Returns the schemas of the problems that an operation may answer with. */
function listProblems(document: Document, { responses }: JsonRecord): string[] {
  const names = Object.values(asRecord(responses)).flatMap((response) => {
    const { content } = resolve(document, response);
    const { schema } = asRecord(asRecord(content)['application/problem+json']);
    const { oneOf, anyOf } = resolve(document, schema);
    return [oneOf ?? anyOf ?? schema].flat().flatMap((one) => referenceName(one) ?? []);
  });
  return [...new Set(names)];
}

/** Writes the types, and keeps which schemas they name. */
class TypeWriter {
  readonly #named = new Set<string>();
  readonly #declared: string[] = [];

  constructor(
    private readonly document: Document,
    private readonly problems: ReadonlyMap<string, readonly string[]>,
    private readonly common: readonly string[],
  ) {}

  /** The schemas that have been named, each with its description. */
  schemas(): string {
    const names = [...new Set([...this.#named, ...[...this.problems.values()].flat()])].sort();
    return names
      .map((name) => {
        const schema = asRecord(this.document.components.schemas[name]);
        const choice = schema['oneOf'] ?? schema['anyOf'] ?? Array.isArray(schema['type']);
        const isObject = !choice && (schema['type'] === 'object' || isProblem(schema));
        const declared = isObject
          ? `export interface ${name} extends Shape<'${name}'> {}`
          : `export type ${name} = Schemas['${name}'];`;
        return `${writeComment([firstParagraph(schema['description'])])}${declared}`;
      })
      .join('\n');
  }

  /** The problems of each operation, and the members of each type. */
  declarations(): string {
    return this.#declared.join('\n\n');
  }

  /** Returns the comment that editors show of a resource. */
  about(resource: string, indent = ''): string {
    const tag = this.document.tags?.find(({ name }) => name === resource);
    return writeComment([tag ? firstParagraph(tag.description) : `The ${resource} of the project.`], indent);
  }

  resource(resource: string, verbs: readonly Verb[]): string {
    const methods = verbs.map((verb) => this.#method(verb));
    const options = verbs.flatMap((verb) =>
      verb.reads === 'events' && verb.name.endsWith('Events') ? [] : this.#options(verb),
    );
    return [
      ...options,
      `${this.about(resource)}export interface ${toPascalCase(resource)}Operations {\n${methods.join('\n\n')}\n}`,
    ].join('\n\n');
  }

  #method(verb: Verb): string {
    const { operation, definition, names } = verb;
    const problem = this.#problem(operation.id);
    const body = this.#body(verb);
    const options = this.#hasOptions(verb) ? `${toPascalCase(operation.id)}Options` : 'CallOptions';
    const isRequired = this.#listOptions(operation).some(({ required }) => required === true);
    const parameters = [
      ...names.map(([parameter, name]) => `${name}: PathValue<'${operation.id}', '${parameter}'>`),
      ...(body ? [`${body.name}: ${body.type}`] : []),
      `options${isRequired ? '' : '?'}: ${options}`,
    ];
    const address = new Map(operation.parameters.map((given) => [String(given['name']), given]));
    const docs = [
      firstParagraph(definition['description']),
      '',
      ...names.map(([parameter, name]) => `@param ${name} ${firstParagraph(address.get(parameter)?.['description'])}`),
      ...(body ? [`@param ${body.name} ${firstParagraph(asRecord(definition['requestBody'])['description'])}`] : []),
      `@throws ProblemError with a \`${problem}\``,
    ];
    const { generic = '' } = body ?? {};
    return `${writeComment(docs, '  ')}  ${verb.name}${generic}(${parameters.join(', ')}): ${this.#answer(verb, problem)};`;
  }

  #body({ operation, wraps }: Verb): { name: string; type: string; generic?: string } | undefined {
    if (operation.consumes.length === 0) return undefined;
    if (!operation.consumes.includes('application/json')) return { name: 'body', type: 'Bytes' };
    const ofWrapped = wraps ? `['${wraps}']` : '';
    const type = `JsonBody<'${operation.id}'>${ofWrapped}`;
    if (operation.consumes.length > 1) return { name: 'rows', type: `${type} | Bytes` };
    const name = wraps ?? 'body';
    const { properties, required } = resolve(
      this.document,
      wraps ? asRecord(resolve(this.document, operation.bodySchema)['properties'])[wraps] : operation.bodySchema,
    );
    for (const [member, schema] of Object.entries(asRecord(properties))) {
      const ofType = resolve(this.document, schema)['x-roster-members-of-type'];
      if (!ofType) continue;
      const table = Object.entries(asRecord(ofType)).map(([kind, reference]) => {
        const schema = referenceName(reference) ?? '';
        this.#named.add(schema);
        return `  ${kind}: ${schema};`;
      });
      const ofTypes = `${toPascalCase(name)}${toPascalCase(member)}`;
      this.#declare(
        `/** The \`${member}\` of each type of ${name} that the service knows. */\nexport interface ${ofTypes} {\n${table.join('\n')}\n}`,
      );
      const helper = [required].flat().includes('type') ? 'CreationOfType' : 'UpdateOfType';
      return {
        name,
        type: `${helper}<${type}, '${member}', Type, ${ofTypes}>`,
        generic: '<const Type extends string>',
      };
    }
    return { name, type };
  }

  #answer({ operation, reads, definition }: Verb, problem: string): string {
    const generic = operation.method === 'get' ? 'Read' : 'Call';
    switch (reads) {
      case 'events':
        return 'Events';
      case 'nothing':
        return `Call<undefined, ${problem}>`;
      case 'text':
        return `${generic}<string, ${problem}>`;
      case 'blob':
        return `${generic}<Blob, ${problem}>`;
      case 'list':
        return `List<${this.#data(definition)}[number], ${problem}>`;
      case 'json':
        return `${generic}<${this.#data(definition)}, ${problem}>`;
    }
  }

  /** Returns the type of a JSON answer: the name of its schema, or of that of its items. */
  #data({ responses, operationId }: JsonRecord): string {
    for (const [status, response] of Object.entries(asRecord(responses))) {
      const { content } = resolve(this.document, response);
      const { schema } = asRecord(asRecord(content)['application/json']);
      const { items } = asRecord(schema);
      const name = referenceName(schema) ?? referenceName(items);
      if (!status.startsWith('2') || !name) continue;
      this.#named.add(name);
      return items ? `${name}[]` : name;
    }
    return `JsonAnswer<'${operationId}'>`;
  }

  /** Names the problems of an operation as a union. */
  #problem(id: string): string {
    const name = `${toPascalCase(id)}Problem`;
    const problems = this.problems.get(id) ?? [];
    const all = this.common.every((common) => problems.includes(common));
    const own = all ? problems.filter((problem) => !this.common.includes(problem)) : problems;
    const union = [...(all ? ['CommonProblem'] : []), ...own].join(' | ');
    const declared = `/** The problems of \`${id}\`. */\nexport type ${name} = ${union};`;
    this.#declare(declared);
    return name;
  }

  #declare(type: string): void {
    if (!this.#declared.includes(type)) this.#declared.push(type);
  }

  #hasOptions({ operation }: Verb): boolean {
    return operation.consumes.length > 1 || this.#listOptions(operation).length > 0;
  }

  #listOptions({ parameters }: Operation): JsonRecord[] {
    return parameters.filter((parameter) => parameter['in'] !== 'path');
  }

  #options(verb: Verb): string[] {
    const { operation, resource } = verb;
    if (!this.#hasOptions(verb)) return [];
    const members = this.#listOptions(operation).map((parameter) => {
      const name = String(parameter['name']);
      const place = String(parameter['in']);
      const type = `QueryValue<'${operation.id}', '${place}', '${name}'>`;
      const isRequired = parameter['required'] === true;
      const declared = `${toCamelCase(name)}${isRequired ? '' : '?'}: ${type}${isRequired ? '' : ' | undefined'};`;
      return `${writeComment([firstParagraph(parameter['description'])], '  ')}  ${declared}`;
    });
    if (operation.consumes.length > 1) {
      const types = operation.consumes.map((type) => `'${type}'`).join(' | ');
      const about =
        'The format of a body that is text, a Blob or a stream. Without it, that of the Blob, or text as `text/…`.';
      members.push(`${writeComment([about], '  ')}  contentType?: ${types} | undefined;`);
    }
    return [
      `/** The options of \`${resource}.${verb.name}\`. */\nexport interface ${toPascalCase(operation.id)}Options extends CallOptions {\n${members.join('\n')}\n}`,
    ];
  }
}

/** Returns the first paragraph of a description, on one line. */
function firstParagraph(description: unknown): string {
  const [first = ''] = String(description ?? '')
    .trim()
    .split(/\n\s*\n/);
  return first.replace(/\s+/g, ' ').replaceAll('*/', '* /');
}

function writeComment(lines: readonly string[], indent = ''): string {
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

/** `If-None-Match` and `if_none_match` become `ifNoneMatch`. */
function toCamelCase(name: string): string {
  const words = name.split(/[-_]/);
  const [first = '', ...rest] = words.length > 1 ? words.map((word) => word.toLowerCase()) : words;
  return first + rest.map(toPascalCase).join('');
}

function toPascalCase(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function lowerFirst(word: string): string {
  return word.charAt(0).toLowerCase() + word.slice(1);
}
