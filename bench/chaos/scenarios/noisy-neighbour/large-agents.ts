import { ask } from '../../../../testkit/http/client.js';
import { wire } from '../../../../testkit/http/load.js';
import type { Attack } from '../../attacks/attack.js';

const AGENTS = 99;
const SKILLS = 1000;

/** One caller who reads the largest agents that a project may have: all of them, then one. */
export const largeAgents: Attack = {
  name: 'large-agents',
  prepare: async (target) => {
    const { url } = target;
    const owner = await target.owner('attacker');
    await ask('POST', `${url}/projects`, { project: { name: 'large' } }, owner);
    const skills = Array.from({ length: SKILLS }, (_, skill) => `s${skill}`);
    for (const name of skills) {
      await ask('POST', `${url}/projects/large/skills`, { skill: { name, type: 'lookup' } }, owner);
    }
    for (let agent = 0; agent < AGENTS; agent += 1) {
      const body = { agent: { name: `a${agent}`, skills } };
      await ask('POST', `${url}/projects/large/agents`, body, owner);
    }
    const requests = [
      wire(url, 'GET', '/projects/large/agents', undefined, owner),
      wire(url, 'GET', '/projects/large/agents/a0', undefined, owner),
    ];
    return () => target.flood(1, ...requests);
  },
};
