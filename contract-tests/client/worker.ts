/** A Worker of Cloudflare's that uses the client: the last part of the address says what it does. */
import { createRoster, isProblem, retry, timeout } from 'roster-client';

interface Environment {
  readonly SERVICE: string;
  /** The address of a server that is gone. */
  readonly GONE: string;
  /** The address of a server that never answers. */
  readonly SILENT: string;
  /** The address of a server whose answers are cut. */
  readonly CUT: string;
}

const nameOf = (error: unknown) => (error instanceof Error ? error.name : typeof error);

const CASES: Readonly<Record<string, (env: Environment) => Promise<unknown>>> = {
  async resources({ SERVICE }) {
    const roster = createRoster({ baseUrl: SERVICE });
    const { name } = await roster.skills.create({ name: 'weather', type: 'weather' });
    const { response } = await roster.skills.get(name).result();
    const etag = response.headers.get('ETag') ?? '';
    const known = await roster.skills.get(name, { ifNoneMatch: etag }).result();
    const changed = await roster.skills.update(name, { type: 'climate' }, { ifMatch: etag });
    const late = await roster.skills.delete(name, { ifMatch: etag }).catch((error: unknown) => error);
    const listed: string[] = [];
    for await (const skill of roster.skills.list({ limit: 1 })) listed.push(skill.name);
    await roster.skills.delete(name);
    return {
      status: known.response.status,
      type: changed.type,
      isLate: isProblem(late, '/problems/precondition-failed'),
      listed,
    };
  },

  async fault({ GONE }) {
    let sent = 0;
    const count = (request: Request) => {
      sent += 1;
      return fetch(request);
    };
    const roster = createRoster({ baseUrl: GONE, fetch: count });
    roster.client.use(retry({ attempts: 3, delay: 1 }));
    const error = await roster.skills.list().catch((reason: unknown) => reason);
    return { sent, isError: error instanceof Error };
  },

  async timeLimit({ SILENT }) {
    const roster = createRoster({ baseUrl: SILENT });
    roster.client.use(timeout(200));
    return roster.skills.list().catch(nameOf);
  },

  async abort({ SILENT }) {
    const leaving = new AbortController();
    const call = createRoster({ baseUrl: SILENT }).skills.get('weather', { signal: leaving.signal });
    const name = call.catch(nameOf);
    leaving.abort();
    return name;
  },

  async cut({ CUT }) {
    return createRoster({ baseUrl: CUT }).skills.get('weather').catch(nameOf);
  },
};

export default {
  async fetch({ url }: Request, env: Environment): Promise<Response> {
    return Response.json(await CASES[new URL(url).pathname.slice(1)]?.(env));
  },
};
