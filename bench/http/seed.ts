import { createKey } from '../../server/auth/api-key.js';
import { LOCAL_OWNER } from '../../server/auth/caller.js';
import { SCOPES } from '../../server/contract/scopes.js';
import { createProject } from '../../server/projects/projects.js';
import { createAgent } from '../../server/resources/agents.js';
import { createSkill } from '../../server/resources/skills.js';
import { Store } from '../../server/store/index.js';
import { insertKey } from '../../server/store/keys.js';
import { LISTED, WRITTEN } from './operations.js';

const SKILLS = 100;

/**
 * Creates the store that every server gets a copy of: a project with 100 skills and an agent that uses three of
 * them, and an empty project to write to.
 * @returns a key of its owner
 */
export async function seed(url: string): Promise<string> {
  const store = await Store.open(url);
  try {
    await store.transaction(async (store) => {
      await createProject(store, LOCAL_OWNER, WRITTEN);
      const { id } = await createProject(store, LOCAL_OWNER, LISTED);
      for (let number = 1; number <= SKILLS; number++) {
        const params = { database: 'sales', tables: ['orders', 'customers'], depth: number };
        await createSkill(store, id, { name: `skill-${number}`, type: 'lookup', params });
      }
      await createAgent(store, id, AGENT);
    });
    const { text, id, hash } = createKey();
    const key = { id, hash, name: 'bench', owner: LOCAL_OWNER, scopes: SCOPES, expires_at: null };
    await insertKey(store, key);
    return text;
  } finally {
    await store.close();
  }
}

const AGENT = {
  name: 'analyst',
  model_name: 'prices',
  provider: 'roster',
  prompt_template: 'Answer the question: {{question}}',
  model: null,
  data: { tables: ['orders'], knowledge_bases: [] },
  skills: ['skill-25', 'skill-50', 'skill-75'],
  settings: { depth: 1, language: 'en' },
};
