/** Bodies that real clients of OpenAI's API send, as `npm run test:on-demand` recorded it with their packages. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseJson } from '../../contract/json-record.js';
import { readField } from '../../testkit/json.js';
import { AgentService } from './agent-service.js';
import { AGES, ASSISTING, CLIENTS, createJeweller, recordedFile, type SentRequest } from './clients/run-client.js';

let service: AgentService;
beforeAll(async () => {
  service = await AgentService.open();
  await createJeweller(service);
});
afterAll(() => service.close());

/** The words that an agent said before, which each history repeats. */
const SAID = 'About 2,700.';

test.each(AGES.flatMap((age) => CLIENTS.map((client) => [client, age] as const)))(
  'each request of %s, of the packages in %s, is answered with its history',
  async (client, age) => {
    const recorded = await readFile(recordedFile(client, age), 'utf8');
    const requests: SentRequest[] = recorded.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
    expect(requests.length).toBeGreaterThan(7);
    for (const { feature, method, path, body } of requests) {
      service.chat.play(ASSISTING);
      const begun = service.chat.requests.length;
      const response = await service.send(method, path, body);
      const answer = await response.text();
      expect([feature, response.status, readField(parseJson(answer), 'detail')]).toEqual([feature, 200, undefined]);
      const asked = JSON.stringify(service.chat.requests[begun]?.body.messages);
      if (JSON.stringify(body ?? {}).includes(SAID))
        expect([feature, asked]).toEqual([feature, expect.stringContaining(SAID)]);
    }
  },
);
