import type { OperationId } from '../api/handlers.js';
import { type Created, type CreationHeaders, idempotent } from '../api/idempotency.js';
import { type ListPage, type PageQuery, streamPage } from '../api/list-page.js';
import {
  type ConditionalReply,
  type Conditions,
  checkPreconditions,
  conditionalGet,
  isConditional,
  type Tagged,
  withEtag,
} from '../api/preconditions.js';
import type { Caller } from '../auth/caller.js';
import { findProject, inProject, lockProject, type Project } from '../projects/projects.js';
import type { Store } from '../store/index.js';
import { type CommonRow, type Filter, ResourceRows, type Table } from './crud.js';

/** A request for the resources of a project, as far as all operations have it. */
interface ResourceRequest<Reply, Sent> {
  readonly caller: Caller;
  readonly params: { readonly project_name: string };
  readonly headers: Conditions & CreationHeaders;
  readonly base: string;
  readonly reply: (reply: Reply) => Sent;
}

/** The resources of one kind, for requests. */
export class Resources<T, K extends Table, Row extends CommonRow> extends ResourceRows<K, Row> {
  /** @param filter limits the list to the rows that fulfil it */
  async list<S>(
    store: Store,
    request: ResourceRequest<{ status: 200 } & ListPage<T>, S> & { readonly query: PageQuery },
    filter?: (project: Project) => Filter,
  ): Promise<S> {
    const { caller, params, query, base, reply } = request;
    const project = await findProject(store, caller, params.project_name);
    const page = await streamPage<T>(this.#address(base, project), query, {
      listIds: (part) => this.listIds(store, project.id, part, filter?.(project)),
      readJson: (entries) => this.readJson(store, entries),
    });
    return reply({ status: 200, ...page });
  }

  async get<S>(
    store: Store,
    { caller, params, headers, reply }: ResourceRequest<ConditionalReply<T>, S>,
    nameOrId: string,
  ): Promise<S> {
    const { project_name: name } = params;
    // Most callers see all projects, so that one query tells enough.
    const row =
      caller.projectId === undefined
        ? await this.findByPath(store, caller.owner, name, nameOrId)
        : await this.find(store, (await findProject(store, caller, name)).id, nameOrId);
    if (!row) throw this.notFound(nameOrId, await findProject(store, caller, name));
    return reply(await conditionalGet<T>(await this.write(store, row), headers));
  }

  create<S>(
    store: Store,
    operation: OperationId,
    request: ResourceRequest<Created<T>, S> & { readonly body: object },
    insert: (tx: Store, project: Project) => Promise<Row>,
  ): Promise<S> {
    const { caller, params, base, reply } = request;
    const created = idempotent<T>(store, operation, request, async (tx) => {
      const project = await lockProject(tx, caller, params.project_name);
      const row = await insert(tx, project);
      return { chunks: await this.write(tx, row), location: this.location(base, project, row) };
    });
    return created.then(reply);
  }

  update<S>(
    store: Store,
    { caller, params, headers, reply }: ResourceRequest<{ status: 200 } & Tagged<T>, S>,
    nameOrId: string,
    change: (tx: Store, row: Row, project: Project) => Promise<Row>,
  ): Promise<S> {
    return inProject(store, caller, params.project_name, async (tx, project) => {
      const row = await this.#findForWrite(tx, project, nameOrId, headers);
      const chunks = await this.write(tx, await change(tx, row, project));
      return reply({ status: 200, ...(await withEtag<T>(chunks)) });
    });
  }

  delete<S>(
    store: Store,
    { caller, params, headers, reply }: ResourceRequest<{ status: 204 }, S>,
    nameOrId: string,
  ): Promise<S> {
    return inProject(store, caller, params.project_name, async (tx, project) => {
      await this.remove(tx, await this.#findForWrite(tx, project, nameOrId, headers));
      return reply({ status: 204 });
    });
  }

  async #findForWrite(
    tx: Store,
    project: Project,
    nameOrId: string,
    conditions: Conditions,
  ): Promise<Row> {
    const row = await this.require(tx, project, nameOrId);
    if (isConditional(conditions)) await checkPreconditions(conditions, await this.write(tx, row));
    return row;
  }

  /** Returns the address of a resource, as the caller used the prefix `base`. */
  location(base: string, project: Project, { name }: { readonly name: string }): string {
    return `${this.#address(base, project)}/${name}`;
  }

  #address(base: string, project: Project): string {
    return `${base}/projects/${project.name}/${this.kind.table}`;
  }
}
