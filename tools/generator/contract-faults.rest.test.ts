import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type Code, checkContract, type Fault } from '../../contract/check/index.js';
import { codeIn } from './handlers.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CONTRACT = readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8');
const CODE = codeIn(ROOT);

/** A fault, put into the contract as it is. `‸` in what is put there is where an editor should lead. */
interface Faulty {
  what: string;
  from: string;
  to: string;
  says: RegExp;
  code?: Code;
}

/** The check finds nothing else beside these. */
const ALONE: Faulty[] = [
  { what: 'text that is not YAML', from: '\npaths:\n', to: '\npaths: ‸@\n', says: /^this is not YAML: / },
  {
    what: 'a key that is there twice',
    from: '      operationId: getSkill\n',
    to: '      operationId: getSkill\n      ‸operationId: getSkill\n',
    says: /duplicated mapping key/,
  },
  {
    what: 'an alias, whose parts have no separate place',
    from: 'tags: [projects]\n      security: [{ apiKey: [read] }, { apiKeyHeader: [read] }]\n      summary: List all projects',
    to: 'tags: &all [projects]\n      security: [{ apiKey: [read] }, { apiKeyHeader: [read] }]\n      summary: *‸all',
    says: /\*all is an alias, and none is read here/,
  },
  { what: 'a text that is not a contract', from: CONTRACT, to: '‸just words\n', says: /Expected Object/ },
  {
    what: 'a handler without an operation',
    from: '\npaths:\n',
    to: '\n‸paths:\n',
    says: /no operation is called copyAgent, .* server\/resources\/agents\.ts:1/,
    code: { ...CODE, handlers: new Map([...(CODE.handlers ?? []), ['copyAgent', 'server/resources/agents.ts:1']]) },
  },
];

/** Faulty references and schemas: the check looks at no example beside them. */
const UNSOUND: Faulty[] = [
  {
    what: 'an operation without an operationId',
    from: '    get:\n      operationId: getSkill\n',
    to: '    ‸get:\n',
    says: /get › operationId: is missing/,
  },
  {
    what: 'a scope that no key has',
    from: 'operationId: getSkill\n      tags: [skills]\n      security: [{ apiKey: [read] }',
    to: 'operationId: getSkill\n      tags: [skills]\n      security: ‸[{ apiKey: [look] }',
    says: /get › security: is not \[\] or .*, with a scope of read, write/,
  },
  {
    what: 'a problem whose words are not fixed',
    from: 'title: { const: Unknown address }',
    to: 'title: ‸{ type: string }',
    says: /properties › title › const/,
  },
  {
    what: 'a reference to a schema that is not there',
    from: "schema: { $ref: '#/components/schemas/CreateSkillBody' }",
    to: "schema: { $ref: ‸'#/components/schemas/CreateSkilBody' }",
    says: /CreateSkilBody leads to nothing/,
  },
  {
    what: 'a reference to an example that is not there',
    from: "skill: { $ref: '#/components/examples/NewSkill' }",
    to: "skill: { $ref: ‸'#/components/examples/OldSkill' }",
    says: /OldSkill leads to nothing/,
  },
  {
    what: 'a reference into a part that is not there',
    from: "skill: { $ref: '#/components/examples/NewSkill' }",
    to: "skill: { $ref: ‸'#/components/exampels/NewSkill' }",
    says: /there is no #\/components\/exampels, where \$ref leads; correct the name to examples,/,
  },
  {
    what: 'a reference within a shared answer to a header that is not there',
    from: "  responses:\n    Deleted:\n      description: The resource is deleted.\n      headers:\n        X-Request-Id: { $ref: '#/components/headers/RequestId' }",
    to: "  responses:\n    Deleted:\n      description: The resource is deleted.\n      headers:\n        X-Request-Id: { $ref: ‸'#/components/headers/RequestID' }",
    says: /RequestID leads to nothing/,
  },
  {
    what: 'a reference to a part of another kind',
    from: "skill: { $ref: '#/components/examples/NewSkill' }",
    to: "skill: { $ref: ‸'#/components/schemas/Skill' }",
    says: /something else than the example/,
  },
  {
    what: 'a reference out of the file',
    from: "schema: { $ref: '#/components/schemas/CreateSkillBody' }",
    to: "schema: { $ref: ‸'schemas.yaml#/CreateSkillBody' }",
    says: /leads out of the file/,
  },
  {
    what: 'a reference that leads back to itself',
    from: '    SkillType:\n      type: string\n',
    to: "    SkillType:\n      $ref: ‸'#/components/schemas/SkillType'\n",
    says: /leads back to itself/,
  },
  {
    what: 'a type that does not exist',
    from: '    SkillType:\n      type: string\n',
    to: '    SkillType:\n      type: ‸strnig\n',
    says: /not JSON Schema: must be one of .*"string"/,
  },
  {
    what: 'a pattern that is not a regular expression',
    from: "pattern: '^[A-Za-z0-9_-]{21}[AQgw]$'",
    to: "pattern: ‸'^[A-Za-z0-9_-{21}'",
    says: /not JSON Schema: Invalid regular expression/,
  },
  {
    what: 'a required property that is not there',
    from: 'required: [owner, key, scopes, limits]',
    to: 'required: [owner, ‸kee, scopes, limits]',
    says: /there is no property kee, which is required/,
  },
  {
    what: 'a format that does not exist',
    from: '      format: date-time\n',
    to: '      format: ‸datetime\n',
    says: /the format datetime is not known/,
  },
];

const OTHERS: Faulty[] = [
  {
    what: 'an example of a body that breaks its schema',
    from: 'value: { project: { name: jewellery } }',
    to: 'value: { project: { name: ‸jewellery! } }',
    says: /^the example breaks its schema: must match pattern/,
  },
  {
    what: 'an example of a body with a field that is not known',
    from: 'value: { project: { name: jewellery } }',
    to: 'value: { project: { name: jewellery, colour: ‸red } }',
    says: /^the example breaks its schema: must not be there/,
  },
  {
    what: 'an example of an answer that breaks its schema',
    from: 'id: 019a2f3c-7a10-7c3e-9b1d-2f6a4c5e8d01\n                      name: default\n',
    to: 'id: ‸019a2f3c\n                      name: default\n',
    says: /^the example breaks its schema: must .*match format "uuid"/,
  },
  {
    what: 'an example of an answer without a field that it must have',
    from: '                    - id: 019a2f3c-7a10-7c3e-9b1d-2f6a4c5e8d01\n                      name: default\n',
    to: '                    - ‸name: default\n',
    says: /^the example breaks its schema: must have required property 'id'/,
  },
  {
    what: 'a shared example that breaks the schema of an answer',
    from: '    Project:\n      summary: A project\n      value:\n        id: ',
    to: '    Project:\n      summary: A project\n      value:\n        id: ‸x',
    says: /^the example breaks its schema: must .*match format "uuid"/,
  },
  {
    what: 'an example of a shared answer that breaks its schema',
    from: 'errors:\n                  - pointer: /query/colour\n',
    to: 'errors:\n                  - pointer: ‸5\n',
    says: /^the example breaks its schema: must be string/,
  },
  {
    what: 'an example of a parameter that breaks its schema',
    from: 'summary: The skills of one agent\n              value: [analyst]',
    to: "summary: The skills of one agent\n              value: [analyst, ‸'']",
    says: /^the example breaks its schema: must .*match pattern/,
  },
  {
    what: 'a line of an example of lines that breaks the schema of lines',
    from: 'value: "{\\"carat\\":0.7,\\"cut\\":\\"Ideal\\",\\"color\\":\\"G\\",\\"certificate\\":null,\\"price\\":2742,\\"price_original\\":2757,',
    to: 'value: ‸"{\\"carat\\":0.7,\\"cut\\":\\"Ideal\\",\\"color\\":\\"G\\",\\"certificate\\":null,\\"price\\":2742,\\"price_original\\":2757',
    says: /^the example breaks its schema: line 1: is not JSON/,
  },
  {
    what: 'an event of an example of a stream that breaks the schema of events',
    from: 'value: "data: {\\"type\\":\\"start\\"',
    to: 'value: ‸"data: {\\"type\\":\\"begin\\"',
    says: /^the example breaks its schema: event 1: /,
  },
  {
    what: 'an example of a header that breaks its schema',
    from: 'summary: An identifier that the service made\n          value: 019a2f41',
    to: 'summary: An identifier that the service made\n          value: ‸not/019a2f41',
    says: /^the example breaks its schema: must match pattern/,
  },
  {
    what: 'a default that breaks its schema',
    from: '    SkillType:\n      type: string\n',
    to: '    SkillType:\n      type: string\n      default: ‸5\n',
    says: /^the default breaks its schema: must be string/,
  },
  {
    what: 'an example of a schema that breaks it',
    from: '    SkillType:\n      type: string\n',
    to: '    SkillType:\n      type: string\n      examples: [sql, ‸[]]\n',
    says: /^the example breaks its schema: must be string/,
  },
  {
    what: 'two operations of one name',
    from: '      operationId: getAgent\n',
    to: '      operationId: ‸getSkill\n',
    says: /two operations are called getSkill/,
  },
  {
    what: 'an operation without a handler',
    from: '      operationId: getAgent\n',
    to: '      operationId: ‸copyAgent\n',
    says: /the operation copyAgent has no handler/,
  },
  {
    what: 'a path that an address of another path may fit',
    from: '  /projects/{project_name}/skills:\n',
    to: '  /{any}/projects/skills: {}\n  ‸/projects/{project_name}/skills:\n',
    says: /an address may fit this path and \/\{any\}\/projects\/skills/,
  },
  {
    what: 'a link to an operation that is not there',
    from: 'description: Reads the skill.\n      operationId: getSkill\n',
    to: 'description: Reads the skill.\n      operationId: ‸readSkill\n',
    says: /no operation is called readSkill/,
  },
  {
    what: 'a rule that is worded in two ways',
    from: "any other is data.\n      minLength: 1\n      maxLength: 1000\n      pattern: '^[^\\u0000\\ud800-\\udfff]*$'\n      x-roster-message: must not",
    to: "any other is data.\n      minLength: 1\n      maxLength: 1000\n      pattern: '^[^\\u0000\\ud800-\\udfff]*$'\n      x-roster-message: ‸must never",
    says: /one rule is worded in two ways; the other is: must not contain/,
  },
  {
    what: 'an end that is not a date',
    from: "    DeprecatedParams:\n      type: [object, 'null']\n      description: |\n        Another name for `settings`, for existing clients. Send one of the two. In a change together with `params`, null\n        counts as not sent for every field.\n      deprecated: true\n      x-roster-sunset: { deprecated: '2026-11-23', sunset: '2027-11-23' }",
    to: "    DeprecatedParams:\n      type: [object, 'null']\n      description: |\n        Another name for `settings`, for existing clients. Send one of the two. In a change together with `params`, null\n        counts as not sent for every field.\n      deprecated: true\n      x-roster-sunset: { deprecated: '2026-11-23', sunset: ‸'2027-02-30' }",
    says: /^x-roster-sunset › sunset: must be a date, such as/,
  },
  {
    what: 'an end before its beginning',
    from: "    DeprecatedParams:\n      type: [object, 'null']\n      description: |\n        Another name for `settings`, for existing clients. Send one of the two. In a change together with `params`, null\n        counts as not sent for every field.\n      deprecated: true\n      x-roster-sunset: { deprecated: '2026-11-23', sunset: '2027-11-23' }",
    to: "    DeprecatedParams:\n      type: [object, 'null']\n      description: |\n        Another name for `settings`, for existing clients. Send one of the two. In a change together with `params`, null\n        counts as not sent for every field.\n      deprecated: true\n      x-roster-sunset: ‸{ deprecated: '2026-11-23', sunset: '2025-11-23' }",
    says: /^x-roster-sunset: sunset must be later than deprecated/,
  },
  {
    what: 'an end of what is not deprecated',
    from: "    DeprecatedParams:\n      type: [object, 'null']\n      description: |\n        Another name for `settings`, for existing clients. Send one of the two. In a change together with `params`, null\n        counts as not sent for every field.\n      deprecated: true\n      x-roster-sunset: {",
    to: "    DeprecatedParams:\n      type: [object, 'null']\n      description: |\n        Another name for `settings`, for existing clients. Send one of the two. In a change together with `params`, null\n        counts as not sent for every field.\n      deprecated: false\n      x-roster-sunset: ‸{",
    says: /add deprecated: true/,
  },
  {
    what: 'an end of a server that is not a date',
    from: "here, and is redirected (308)\n        x-roster-sunset: { deprecated: '2026-11-23', sunset: '2027-11-23' }",
    to: "here, and is redirected (308)\n        x-roster-sunset: { deprecated: ‸soon, sunset: '2027-11-23' }",
    says: /^x-roster-sunset › deprecated: must be a date/,
  },
  {
    what: 'a deprecated part of a request that the server does not notice',
    from: '    SkillReference:\n      type: [string, object]\n',
    to: "    SkillReference:\n      type: [string, object]\n      deprecated: ‸true\n      x-roster-sunset: { deprecated: '2026-11-23', sunset: '2027-11-23' }\n",
    says: /the server does not notice this in a request/,
  },
];

test('the contract as it is has no fault', () => {
  expect(checkContract(CONTRACT, CODE)).toEqual([]);
});

const count = (text: string, part: string) => text.split(part).length - 1;

/** A contract with as many faults as it can have at once. */
class FaultyContract {
  readonly #faults: Faulty[] = [];
  #marked = CONTRACT;
  #found?: Fault[];

  /** Puts a fault in, unless that would change one that is in. */
  take(fault: Faulty): boolean {
    const marked = this.#marked.replace(fault.from, () => fault.to);
    const faults = [...this.#faults, fault];
    const isUntouched = count(this.#marked, fault.from) === count(CONTRACT, fault.from);
    if (!isUntouched || !faults.every(({ to }) => marked.includes(to))) return false;
    this.#marked = marked;
    this.#faults.push(fault);
    return true;
  }

  placeOf({ to }: Faulty) {
    const start = this.#marked.indexOf(to) + to.indexOf('‸');
    const before = this.#marked.slice(0, start).replaceAll('‸', '').split('\n');
    return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
  }

  found(): Fault[] {
    const { code = CODE } = this.#faults[0] ?? {};
    this.#found ??= checkContract(this.#marked.replaceAll('‸', ''), code);
    return this.#found;
  }
}

/** Puts faults into few contracts: a check takes a fifth of a second. */
function shared(faults: readonly Faulty[]): [Faulty, FaultyContract][] {
  const contracts: FaultyContract[] = [];
  return faults.map((fault) => {
    expect(CONTRACT).toContain(fault.from);
    const contract = contracts.find((contract) => contract.take(fault)) ?? new FaultyContract();
    if (!contracts.includes(contract)) {
      expect(contract.take(fault), fault.what).toBe(true);
      contracts.push(contract);
    }
    return [fault, contract];
  });
}

const FAULTS = [...ALONE.flatMap((fault) => shared([fault])), ...shared(UNSOUND), ...shared(OTHERS)];

test.each(FAULTS.map(([fault, contract]) => ({ what: fault.what, fault, contract })))(
  '$what is reported with its place',
  ({ fault, contract }) => {
    expect(contract.found()).toContainEqual({ ...contract.placeOf(fault), message: expect.stringMatching(fault.says) });
  },
);
