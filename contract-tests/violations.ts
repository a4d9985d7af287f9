import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Result } from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
let axeSource: Promise<string> | undefined;

/** Returns the violations that axe-core finds in a page, each with the elements concerned. */
export async function findViolations(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in window`))) {
    axeSource ??= readFile(AXE, 'utf8');
    // As an expression of the debugger, not as a script of the page, which its policy would refuse.
    await page.evaluate(await axeSource);
  }
  // Without preload it does not fetch the stylesheets again, which only rules on sound and on turned screens need.
  // A colour that is still on its way to another one has its own contrast.
  await page.evaluate(
    `document.getAnimations()
      .filter((animation) => animation instanceof CSSTransition)
      .forEach((transition) => transition.finish())`,
  );
  const violations = await page.evaluate<Result[]>(
    `axe.run(document, { resultTypes: ['violations'], preload: false }).then(({ violations }) => violations)`,
  );
  return violations.map(({ id, help, nodes }) => {
    const places = nodes.map(({ target }) => target.join(' '));
    return `${id}: ${help} (${places.join(', ')})`;
  });
}
