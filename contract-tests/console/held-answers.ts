/** Holds answers back, so that they arrive in another order than that of their requests. */
import type { Page, Route } from 'playwright-core';

export interface HeldAnswer {
  /** Resolves when the page has sent the request. */
  readonly asked: Promise<unknown>;
  /** Lets the answer through, and resolves when the page has it. */
  readonly letThrough: () => Promise<void>;
}

/**
 * Holds the answer to the next request back that matches. Later ones are answered at once.
 * @param isHeld gets the address of a request
 */
export async function holdAnswer(page: Page, isHeld: (url: URL) => boolean): Promise<HeldAnswer> {
  let hold: ((route: Route) => void) | undefined;
  const asked = new Promise<Route>((resolve) => {
    hold = resolve;
  });
  // It stays until the page is left: the browser lets all requests through when the last of such handlers ends.
  await page.route(isHeld, async (route) => {
    if (hold === undefined) await route.fallback();
    else hold(route);
    hold = undefined;
  });
  return {
    asked,
    letThrough: async () => {
      const route = await asked;
      const [response] = await Promise.all([
        page.waitForResponse((response) => response.request() === route.request()),
        route.continue(),
      ]);
      await response.finished();
    },
  };
}
