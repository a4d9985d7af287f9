import { diamonds } from '../../../harness/diamonds.js';
import { ask } from '../../../harness/http.js';
import { Crowd, wire } from '../../../harness/load.js';
import { trained } from '../../../harness/training.js';
import type { Attack } from './measure.js';

/** As many as fit into half a mebibyte. */
const FIELDS = 49_900;
const CONNECTIONS = 4;

/** Bodies of nothing but fields that the contract does not know, each of which is a fault. */
export const wrongFields: Attack = {
  name: 'wrong-fields',
  prepare: async (target) => {
    const { url } = target;
    const owner = await target.owner('attacker');
    const model = '/api/projects/faults/models/prices';
    await ask('POST', `${url}/projects`, { project: { name: 'faults' } }, owner);
    await ask('PUT', `${url + model}?target=price`, (await diamonds(60)).csv, owner);
    await trained(url + model, 20, owner);
    const fields = Object.fromEntries(
      Array.from({ length: FIELDS }, (_, field) => [`k${field}`, 1]),
    );
    const requests = [
      wire(url, 'POST', '/projects/faults/skills', { skill: fields }, owner),
      wire(url, 'POST', '/projects/faults/agents', { agent: fields }, owner),
      wire(url, 'POST', '/projects/faults/chatbots', { chatbot: fields }, owner),
      wire(url, 'POST', '/projects', { project: fields }, owner),
      wire(url, 'POST', `${model}/predict`, { data: [], params: fields }, owner),
      wire(url, 'POST', `${model}/predict`, fields, owner),
    ];
    let sent = 0;
    const next = () => requests[sent++ % requests.length] ?? Buffer.alloc(0);
    return async () => {
      const crowd = new Crowd(url, next);
      target.countLoad(await crowd.closedLoop(CONNECTIONS, target.seconds));
      crowd.close();
      return undefined;
    };
  },
};
