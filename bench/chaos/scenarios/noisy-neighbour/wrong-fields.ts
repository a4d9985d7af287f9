import { diamondTable } from '../../../../testkit/data/diamonds.js';
import { wire } from '../../../../testkit/http/load.js';
import type { Attack } from '../../attacks/attack.js';

/** As many fields as fit into half a mebibyte. */
const FIELDS = 49_900;
const CONNECTIONS = 4;

/** Bodies that consist of unknown fields, each of which is a fault. */
export const wrongFields: Attack = {
  name: 'wrong-fields',
  prepare: async (target) => {
    const { url } = target;
    const owner = await target.owner('attacker');
    const model = await target.model(owner, diamondTable(60).csv);
    const fields = Object.fromEntries(
      Array.from({ length: FIELDS }, (_, field) => [`k${field}`, 1]),
    );
    const requests = [
      wire(url, 'POST', '/projects/attackers/skills', { skill: fields }, owner),
      wire(url, 'POST', '/projects/attackers/agents', { agent: fields }, owner),
      wire(url, 'POST', '/projects/attackers/chatbots', { chatbot: fields }, owner),
      wire(url, 'POST', '/projects', { project: fields }, owner),
      wire(url, 'POST', `${model}/predict`, { data: [], params: fields }, owner),
      wire(url, 'POST', `${model}/predict`, fields, owner),
    ];
    return () => target.flood(CONNECTIONS, ...requests);
  },
};
