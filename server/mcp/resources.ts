import { type SqlBool, sql } from 'kysely';
import { missingMcpScope } from '../auth/identify-caller.js';
import { isName } from '../common/names.js';
import { readErrors } from '../models/errors.js';
import { describeRecord, reportQuality } from '../models/model-record.js';
import { findServing, type Model, selectAnsweringModels } from '../models/model-rows.js';
import type { Project } from '../projects/projects.js';
import { DOCUMENT_TYPES, readText } from '../resources/documents/documents.js';
import { skills } from '../resources/skills.js';
import type { Store } from '../store/index.js';
import { paginate } from '../store/rows.js';
import { complete, MAX_COMPLETIONS } from './completion.js';
import { type Completable, invalidParams, LongText, ResourceNotFound } from './server.js';
import type { ToolRequest } from './tools.js';

interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType: string;
  readonly size?: number;
}

const MODELS_PER_PAGE = 50;
const DOCUMENTS_PER_PAGE = 100;

/** The content of a cursor: a page of models, or of documents, after an id. Models come first. */
const CURSOR = /^(models|documents)\.([0-9a-f-]{36})$/;

/**
 * The resources of a project: the quality of each model that serves, as JSON and as Markdown, and each document. The
 * names in addresses need no encoding: all are of the characters `A-Z a-z 0-9 _ . -`.
 */
export class ProjectResources {
  constructor(
    private readonly store: Store,
    private readonly project: Project,
    private readonly request: Pick<ToolRequest, 'caller' | 'resource'>,
  ) {}

  get templates() {
    const { base } = this;
    const model = { name: 'model', description: 'How well a model did on rows it had not seen.' };
    return [
      { uriTemplate: `${base}/models/{name}`, ...model, mimeType: 'application/json' },
      { uriTemplate: `${base}/models/{name}/report`, ...model, mimeType: 'text/markdown' },
      {
        uriTemplate: `${base}/skills/{skill}/documents/{document}`,
        name: 'document',
        description: 'A document of a skill.',
      },
    ];
  }

  private get base(): string {
    return `roster://${this.project.name}`;
  }

  /** @throws {RpcError} if the cursor is none of this list */
  async list(cursor: string | undefined): Promise<{ resources: Resource[]; nextCursor?: string }> {
    const [, kind = 'models', after] = CURSOR.exec(cursor ?? '') ?? [];
    if (cursor !== undefined && after === undefined) {
      throw invalidParams('The cursor is none of this list.');
    }
    if (!this.#mayRead) return { resources: [] };
    const resources: Resource[] = [];
    if (kind === 'models') {
      const { page, next } = cut(await this.#listModels(after), MODELS_PER_PAGE);
      resources.push(...page.flatMap(({ name, target }) => this.#describeModel(name, target)));
      if (next !== undefined) return { resources, nextCursor: `models.${next}` };
    }
    const documents = await this.#listDocuments(kind === 'documents' ? after : undefined);
    const { page, next } = cut(documents, DOCUMENTS_PER_PAGE);
    resources.push(
      ...page.map(({ skill, name, media_type: mimeType, bytes }) => ({
        uri: `${this.base}/skills/${skill}/documents/${name}`,
        name,
        mimeType,
        size: Number(bytes),
      })),
    );
    return { resources, ...(next !== undefined && { nextCursor: `documents.${next}` }) };
  }

  /**
   * @throws {RpcError} if there is no such resource
   * @throws {ProblemError} if the key may not read any
   */
  async read(uri: string): Promise<{ contents: readonly object[] }> {
    if (!this.#mayRead) throw missingMcpScope('a resource', 'read', this.request);
    const content = await this.#find(uri);
    if (!content) throw new ResourceNotFound(uri);
    return { contents: [{ uri, ...content }] };
  }

  /**
   * Returns names that complete a part of an address.
   * @throws {RpcError} if there is no such template, or it has no such part
   * @throws {ProblemError} if the key may not read any
   */
  async complete(uriTemplate: string, { argument, value, known }: Completable): Promise<string[]> {
    if (!this.#mayRead) throw missingMcpScope('a resource', 'read', this.request);
    if (!this.templates.some((template) => template.uriTemplate === uriTemplate)) {
      throw invalidParams(`There is no template ${JSON.stringify(uriTemplate)}; ask for resources/templates/list.`);
    }
    const names = uriTemplate.includes(`{${argument}}`) ? this.#selectNames(argument, known) : undefined;
    if (!names) throw invalidParams(`The template has no part ${JSON.stringify(argument)}.`);
    // No name has other characters, and databases refuse some of them.
    if (value !== '' && !isName(value)) return [];
    const pattern = `%${value.toLowerCase()}%`;
    const rows = await this.store.reads
      .selectFrom(names.as('named'))
      .select('name')
      .where(sql<SqlBool>`lower(name) like ${pattern}`)
      .orderBy('name')
      .limit(MAX_COMPLETIONS + 1)
      .execute();
    return complete(
      rows.map(({ name }) => name),
      value,
    );
  }

  /** @param part of an address @param known the other parts */
  #selectNames(part: string, known: Completable['known']) {
    const { reads } = this.store;
    if (part === 'name') return selectAnsweringModels(reads, this.project.id).select('models.name');
    const types = sql.join(DOCUMENT_TYPES);
    const inProject = reads
      .selectFrom('skills')
      .where('skills.project_id', '=', this.project.id)
      .where(sql<SqlBool>`skills.type in (${types})`);
    if (part === 'skill') return inProject.select('skills.name');
    const skill = known['skill'];
    if (part !== 'document' || typeof skill !== 'string' || !isName(skill)) return undefined;
    return inProject
      .innerJoin('documents', 'documents.skill_id', 'skills.id')
      .where('skills.name', '=', skill)
      .select('documents.name');
  }

  get #mayRead(): boolean {
    return this.request.caller.scopes.includes('read');
  }

  async #find(uri: string): Promise<{ mimeType: string; text: string | LongText } | undefined> {
    if (!uri.startsWith(`${this.base}/`)) return undefined;
    const steps = uri.slice(this.base.length + 1).split('/');
    // Other texts name nothing, and databases refuse some of them.
    if (steps.length > 4 || !steps.every(isName)) return undefined;
    const [kind, name = '', part, last] = steps;
    if (kind === 'skills' && part === 'documents' && last !== undefined) {
      const skill = await skills.find(this.store, this.project.id, name);
      const document = skill && (await readText(this.store, skill.id, last));
      return document && { mimeType: document.mediaType, text: new LongText(document.pieces) };
    }
    const isReport = part === 'report';
    if (kind !== 'models' || last !== undefined || (part !== undefined && !isReport)) {
      return undefined;
    }
    const model = await findServing(this.store, this.project.id, name);
    if (!model || model.metrics === null) return undefined;
    return isReport
      ? { mimeType: 'text/markdown', text: reportQuality(model, await readErrors(this.store, model)) }
      : { mimeType: 'application/json', text: JSON.stringify(describeQuality(model)) };
  }

  #describeModel(name: string, target: string): Resource[] {
    const uri = `${this.base}/models/${name}`;
    const description = `How well the model predicts ${JSON.stringify(target)}.`;
    return [
      { uri, name, description, mimeType: 'application/json' },
      { uri: `${uri}/report`, name: `${name} report`, description, mimeType: 'text/markdown' },
    ];
  }

  #listModels(after: string | undefined) {
    const all = selectAnsweringModels(this.store.reads, this.project.id).select([
      'models.id',
      'models.name',
      'model_versions.target',
    ]);
    return paginate(all, 'models.id', { limit: MODELS_PER_PAGE + 1, after }).execute();
  }

  #listDocuments(after: string | undefined) {
    const types = sql.join(DOCUMENT_TYPES);
    const all = this.store.reads
      .selectFrom('documents')
      .innerJoin('skills', 'skills.id', 'documents.skill_id')
      .select(['documents.id', 'documents.name', 'documents.media_type', 'documents.bytes', 'skills.name as skill'])
      .where('skills.project_id', '=', this.project.id)
      .where(sql<SqlBool>`skills.type in (${types})`);
    return paginate(all, 'documents.id', { limit: DOCUMENTS_PER_PAGE + 1, after }).execute();
  }
}

/** Cuts rows to a page; `next` is the id of its last row if there are more. */
function cut<T extends { readonly id: string }>(rows: readonly T[], limit: number) {
  const page = rows.slice(0, limit);
  return { page, next: rows.length > limit ? page.at(-1)?.id : undefined };
}

function describeQuality(model: Model): object {
  const { name, version, task, target, row_count, reading, findings, summary, metrics } = model;
  const record = describeRecord(model) ?? null;
  return { name, version, task, target, row_count, reading, findings, summary, record, metrics };
}
