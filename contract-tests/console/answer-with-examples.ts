import type { Page, Request as PageRequest } from 'playwright-core';
import { type ExampleChoices, examples } from 'roster-client/examples';
import { operationsAt } from '../../testkit/openapi/operation-at.js';

/**
 * Answers the requests of a page with the contract's examples, until it is called again: a service need not be
 * brought into the state that is to be seen. The files of the page still come from the service.
 */
export async function answerWithExamples(page: Page, choices: ExampleChoices): Promise<void> {
  const answer = examples(choices);
  // A request of the view that is left may still be on its way to an answer, which nobody waits for.
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.route(
    ({ pathname }) => operationsAt(pathname).length > 0,
    async (route) => {
      const response = await answer(await toRequest(route.request()));
      const { status, headers } = response;
      const body = Buffer.from(await response.arrayBuffer());
      await route.fulfill({ status, headers: Object.fromEntries(headers), body });
    },
  );
}

async function toRequest(sent: PageRequest): Promise<Request> {
  const [method, body] = [sent.method(), sent.postDataBuffer()];
  return new Request(sent.url(), { method, headers: await sent.allHeaders(), body });
}
