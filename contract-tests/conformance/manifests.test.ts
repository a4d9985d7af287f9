import { beforeEach, describe, expect, test } from 'vitest';
import { faulty, ownProject, roster, situation } from '../target.js';

const MANIFEST = '/projects/{project_name}/manifest';

let project: string;
beforeEach(async () => {
  project = await ownProject();
});

const named = () => ({ path: { project_name: project } });

const SKILL = { skill: { name: 'care', type: 'knowledge_base', params: { source: 'care' } } };

/** As in the contract's example. */
const SHOP = [
  SKILL,
  {
    document: {
      skill: 'care',
      name: 'care.md',
      media_type: 'text/markdown' as const,
      text: '# Cleaning\nClean a diamond in warm water with a little soap.\n',
    },
  },
  {
    agent: {
      name: 'analyst',
      model_name: 'llama-3',
      provider: 'ollama',
      prompt_template: '{{question}}',
      skills: ['care'],
      settings: { temperature: 0.2 },
    },
  },
  { chatbot: { name: 'help_desk', agent_name: 'analyst' } },
];

const apply = (body: typeof SHOP = SHOP) => roster.PUT(MANIFEST, { params: named(), body });

describe('getManifest', () => {
  test('answers 200 with the resources of the project', async () => {
    const given = await situation(200, 'project', () => apply());
    const { data, response } = await roster.GET(MANIFEST, { params: named(), ...given });
    expect(response.status).toBe(200);
    expect(data?.[0]).toHaveProperty('skill.type', 'knowledge_base');
    expect(response.headers.get('ETag')).toMatch(/^"/);
  });

  test('answers 304 to a caller who has it', async () => {
    const { headers } = await situation(304, null);
    const { response } = await roster.GET(MANIFEST, { params: named() });
    const header = { 'If-None-Match': `${response.headers.get('ETag')}` };
    const again = await roster.GET(MANIFEST, { params: { ...named(), header }, headers });
    expect(again.response.status).toBe(304);
  });

  test('answers 412 to a caller who wants another state of it', async () => {
    const params = { ...named(), header: { 'If-Match': '"another"' } };
    const { error } = await roster.GET(MANIFEST, { params, ...(await situation(412, 'changed')) });
    expect(error?.type).toBe('/problems/precondition-failed');
  });

  test('answers 404 for an unknown project', async () => {
    const given = await situation(404, 'project');
    const params = { path: { project_name: 'no_such_project' } };
    const { error } = await roster.GET(MANIFEST, { params, ...given });
    expect(error?.type).toBe('/problems/project-not-found');
  });
});

describe('applyManifest', () => {
  test('answers 200 with what changed', async () => {
    const given = await situation(200, 'changes', () => apply());
    const skill = { name: 'advice', type: 'note' };
    const agent = { name: 'analyst', skills: ['care'], settings: { temperature: 0.1 } };
    const body = [{ skill }, { agent }];
    const { data, response } = await roster.PUT(MANIFEST, { params: named(), body, ...given });
    expect(response.status).toBe(200);
    expect(data?.changes).toMatchObject([
      { action: 'create', kind: 'skill' },
      { action: 'update', kind: 'agent' },
    ]);
    expect(response.headers.get('ETag')).toMatch(/^"/);
  });

  test('answers 400 for an unknown field', async () => {
    const given = await situation(400, 'invalid');
    const colour = { ...SKILL.skill, colour: 'red' };
    const skill = faulty<typeof SKILL.skill>(colour, SKILL.skill);
    const { error } = await roster.PUT(MANIFEST, { params: named(), body: [{ skill }], ...given });
    expect(error?.type).toBe('/problems/invalid-request');
  });

  test('answers 412 if the project is no longer as it was', async () => {
    const given = await situation(412, 'changed');
    const params = { ...named(), header: { 'If-Match': '"o8hHqKZl3mYw2sX0Jt5cVQ"' } };
    const { error } = await roster.PUT(MANIFEST, { params, body: [SKILL], ...given });
    expect(error?.type).toBe('/problems/precondition-failed');
  });

  test.each([
    ['database', { skill: { name: 'a', type: 'sql', params: { tables: ['t'] } } }, 'unusable-skill'],
    ['skill', { agent: { name: 'a', skills: ['sails'] } }, 'unknown-skill'],
    ['agent', { chatbot: { name: 'a', agent_name: 'oracle' } }, 'unknown-agent'],
  ])('answers 422 for a %s that is not there', async (example, entry, type) => {
    const given = await situation(422, example);
    const { error } = await roster.PUT(MANIFEST, { params: named(), body: [entry], ...given });
    expect(error?.type).toBe(`/problems/${type}`);
  });
});
