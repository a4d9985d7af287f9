import { type Browser, chromium } from 'playwright-core';
import { WAIT_MS } from './patience.js';
import { findProgram } from './programs.js';

/** The first renders pages without the rest of a browser, which takes a third less processor time. */
const NAMES = [
  ...['chromium-headless-shell', 'chromium', 'chromium-browser'],
  ...['google-chrome', 'google-chrome-stable'],
];
const ELSEWHERE = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** The reason why tests of pages are left out, and the remedy. */
export const NO_BROWSER = 'there is no Chromium on this machine; `npm run browser` installs one';

/**
 * Returns the path of the browser: the one in `CHROME_BIN`, or a Chromium in its usual places or where Playwright
 * installs it.
 * @throws if `CHROME_BIN` is not executable, so that a typo does not skip the tests
 */
export function browserOfThisMachine(): string | undefined {
  return findProgram('CHROME_BIN', NAMES, [...ELSEWHERE, chromium.executablePath()]);
}

/** A host name that the browser resolves to this machine, like the name of a proxy. */
export const PROXIED = 'roster.example';

/**
 * Features that are switched off. Chromium follows the last list alone, which is why the one of Playwright
 * (`disabledFeatures` in its `chromiumSwitches.ts`) is here again.
 */
const DISABLED_FEATURES = [
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades'],
  ...['HttpsFirstBalancedModeAutoEnable', 'LensOverlay', 'MediaRouter', 'PaintHolding'],
  ...['ThirdPartyStoragePartitioning', 'AvoidCorsURLLoaderRestartOnRedirect', 'OptimizationHints'],
  ...['NetworkTimeServiceQuerying', 'AimEnabled', 'PreconnectToSearch'],
  // Each new context renders these popups of the address bar, which nobody sees, and that costs more than most pages.
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'],
  // Each page would start a process for the next one too, which belongs to another context.
  'SpareRendererForSitePerProcess',
];

let shared: Promise<Browser> | undefined;

/** Returns the browser that all files of tests in this process share. It ends with the process. */
export function sharedBrowser(executablePath: string): Promise<Browser> {
  shared ??= launch(executablePath);
  return shared;
}

/** Closes the pages that tests have opened in the shared browser. */
export async function closePages(): Promise<void> {
  const browser = await shared;
  await Promise.all(browser?.contexts().map((context) => context.close()) ?? []);
}

/** Starts a browser that can reach only this machine. */
export function launch(executablePath: string): Promise<Browser> {
  const args = [
    `--disable-features=${DISABLED_FEATURES.join(',')}`,
    // Pages are open too briefly for optimised code to pay off.
    '--js-flags=--no-opt',
    `--host-resolver-rules=MAP ${PROXIED} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`,
  ];
  return chromium.launch({ executablePath, args, timeout: WAIT_MS });
}
