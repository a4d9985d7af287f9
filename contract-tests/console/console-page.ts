/** Opens the console in a browser, and checks what holds for each of its views. */
import type { Browser, Page } from 'playwright-core';
import { createRosterClient, type RosterClient } from 'roster-client';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { browserOfThisMachine, closePages, NO_BROWSER, sharedBrowser } from '../../testkit/browser.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { type Look, open } from '../docs/browser.js';
import { findViolations } from '../violations.js';

/** A browser and an empty service. */
export interface BrowserAndService {
  readonly browser: Browser;
  readonly server: ServerProcess;
  readonly roster: RosterClient;
  /**
   * Goes to a view in the one window of the block, whose page is loaded once. Nothing of what a test before did in
   * that window is left, but what the page itself keeps.
   * @param view as of `openConsole`; without it, the window shows the key
   */
  open(view?: string, options?: WindowOptions): Promise<Look>;
}

/**
 * Starts a browser and a service for the tests of a block, which are skipped without a browser.
 * @param prepare fills the store before the first test
 * @param settings returns variables for the service, such as the address of a chat server
 */
export function browserAndService(
  prepare: (roster: RosterClient) => Promise<void> = async () => {},
  settings: () => Promise<NodeJS.ProcessEnv> = async () => ({}),
): BrowserAndService {
  const executable = browserOfThisMachine();
  let started: Omit<BrowserAndService, 'open'> | undefined;
  let loaded: Promise<Look> | undefined;
  beforeAll(async () => {
    if (executable === undefined) return;
    const [browser, server] = await Promise.all([
      sharedBrowser(executable),
      settings().then((env) => startServer({ env })),
    ]);
    started = { browser, server, roster: createRosterClient({ baseUrl: server.url }) };
    await prepare(started.roster);
  });
  afterAll(async () => {
    await closePages();
    await started?.server.stop();
  });
  beforeEach(({ skip }) => skip(executable === undefined, NO_BROWSER));
  const now = () => {
    if (started === undefined) throw new Error('The browser and the service have not started');
    return started;
  };
  return {
    get browser() {
      return now().browser;
    },
    get server() {
      return now().server;
    },
    get roster() {
      return now().roster;
    },
    async open(view, options) {
      loaded ??= openConsole(now().browser, now().server.url, '/key');
      const look = await loaded;
      await leaveView(look, options);
      if (view !== undefined) await enterView(look, view);
      return look;
    },
  };
}

/** Goes to the view of the key, and forgets what was done in the window. */
async function leaveView({ page, faults }: Look, options: WindowOptions = {}): Promise<void> {
  const { colorScheme = 'light', width = 1280 } = options;
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await goTo(page, '/key', 'Key');
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 900 });
  faults.length = 0;
}

/** Goes from the view of the key to another one, and waits until it has what it needs. */
async function enterView({ page, idle }: Look, view: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(view)}`);
  await page.locator('h1').filter({ hasNotText: /^Key$/ }).first().waitFor();
  await idle();
}

export interface WindowOptions {
  readonly colorScheme?: 'light' | 'dark';
  /** In CSS pixels. */
  readonly width?: number;
}

/** Options of a new window that cannot be set on an open one. */
interface NewWindowOptions extends WindowOptions {
  readonly locale?: string;
}

/** Windows of the two colour schemes and of the widths of a desk and a phone. */
export const WINDOWS: readonly Required<WindowOptions>[] = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 390 },
];

/**
 * Opens a view in a new window.
 * @param view the part of the address behind `#`, such as `/projects/default/models`
 */
export function openConsole(
  browser: Browser,
  serviceUrl: string,
  view = '/',
  options: NewWindowOptions = {},
): Promise<Look> {
  return open(browser, `${serviceUrl}/#${view}`, { ...options, until: 'h1' });
}

/** Goes to another view of an open page, and waits for its heading. */
export async function goTo(page: Page, view: string, heading: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(view)}`);
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
}

/**
 * Expects what holds for each view: no violation that axe-core finds, nothing wider than the
 * window, no fault in the console, and no request to another host.
 */
export async function expectGoodView({ page, faults, origins }: Look): Promise<void> {
  expect(await findViolations(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThan(1);
  expect(faults.filter((fault) => !REFUSED_REQUEST.test(fault))).toEqual([]);
  expect([...origins]).toEqual([new URL(page.url()).origin]);
}

/** Expects a good view in the windows of each width and colour scheme, without loading it again. */
export async function expectGoodViewInEachWindow(look: Look): Promise<void> {
  const { page } = look;
  const before = page.viewportSize();
  for (const { colorScheme, width } of WINDOWS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    await expectGoodView(look);
  }
  if (before) await page.setViewportSize(before);
}

/** Browsers report each answer of 4xx and 5xx in the console; a page cannot prevent it. */
const REFUSED_REQUEST = /^Failed to load resource: the server responded with a status of [45]\d\d/;
