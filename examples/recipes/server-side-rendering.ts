import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { RosterClient } from 'roster-client';

const STATUSES: Record<number, number> = { 400: 404, 404: 404, 429: 503, 503: 503 };
const TITLES: Record<number, string> = { 404: 'There is no such skill', 503: 'Try again soon' };

const escaped = (text: string) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const inScript = (data: unknown) => JSON.stringify(data).replaceAll('<', '\\u003c');

const page = (title: string, data: unknown) => `<!doctype html>
<title>${escaped(title)}</title>
<main><h1>${escaped(title)}</h1></main>
<script type="application/json" id="data">${inScript(data)}</script>
<script type="module" src="/main.js"></script>`;

export const skillPages =
  (roster: RosterClient): RequestListener =>
  async (req, res) => {
    const id = randomUUID();
    const send = (status: number, title: string, data: unknown) => {
      const headers = { 'Content-Type': 'text/html; charset=utf-8', 'X-Request-Id': id };
      res.writeHead(status, headers).end(page(title, data));
    };
    const fail = (status: number) => send(status, TITLES[status] ?? 'Something failed', { id });
    try {
      const skill_name = /^\/skills\/(\w[\w.-]*)$/.exec(req.url ?? '')?.[1];
      if (skill_name === undefined) return fail(404);
      const { data, error } = await roster.GET('/projects/{project_name}/skills/{skill_name}', {
        params: { path: { project_name: 'default', skill_name } },
        headers: { 'X-Request-Id': id },
      });
      if (error) return fail(STATUSES[error.status] ?? 502);
      send(200, data.name, { name: data.name, type: data.type });
    } catch (error) {
      console.error(id, error);
      fail(502);
    }
  };
