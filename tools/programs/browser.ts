/** Finds a Chromium for the tests of pages, and installs one if there is none: `npm run browser`. Prints its path. */
import { browserOfThisMachine } from '../../testkit/browser.js';
import { aptCommands, distribution, provide } from './provide.js';

provide({
  name: 'Chromium',
  variable: 'CHROME_BIN',
  find: browserOfThisMachine,
  commands: (asRoot) => {
    // Ubuntu has packages of the same name, which need its daemon of packages.
    if (asRoot && distribution() === 'debian') {
      return aptCommands(asRoot, 'chromium-headless-shell');
    }
    // The libraries that it needs are packages of the system.
    const libraries = process.platform === 'linux' && asRoot ? ['--with-deps'] : [];
    return [['npx', 'playwright-core', 'install', ...libraries, '--no-shell', 'chromium']];
  },
});
