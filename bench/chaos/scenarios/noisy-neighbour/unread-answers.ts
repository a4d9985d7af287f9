import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { ask } from '../../../../testkit/http/client.js';
import { wire } from '../../../../testkit/http/load.js';
import { type Attack, repeat } from '../../attacks/attack.js';

const SKILLS = 15;
const PARAMS = { text: 'x'.repeat(1_000_000) };
const CONNECTIONS = 200;
const PAUSE = 40;

/** Lists of fifteen megabytes that are requested repeatedly, and never read. */
export const unreadAnswers: Attack = {
  name: 'unread-answers',
  prepare: async (target) => {
    const { url } = target;
    const owner = await target.owner('attacker');
    await ask('POST', `${url}/projects`, { project: { name: 'large' } }, owner);
    for (let number = 0; number < SKILLS; number += 1) {
      const skill = { name: `s${number}`, type: 'lookup', params: PARAMS };
      await ask('POST', `${url}/projects/large/skills`, { skill }, owner);
    }
    const request = wire(url, 'GET', '/projects/large/skills?limit=100', undefined, owner);
    return async (over) => {
      const sockets: Socket[] = [];
      await repeat(over, PAUSE, async () => {
        if (sockets.length === CONNECTIONS) return;
        const { hostname, port } = new URL(url);
        const socket = connect(Number(port), hostname);
        sockets.push(socket);
        socket.on('error', () => {}).pause();
        await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
        socket.write(request);
      });
      for (const socket of sockets) socket.destroy();
      return undefined;
    };
  },
};
