/** Finds an nginx for the tests of the proxy, and installs one if there is none: `npm run nginx`. Prints its path. */
import { nginxOfThisMachine } from '../../testkit/nginx.js';
import { aptCommands, distribution, provide } from './provide.js';

provide({
  name: 'nginx',
  variable: 'NGINX_BIN',
  find: nginxOfThisMachine,
  commands: (asRoot) => {
    if (process.platform === 'darwin') return [['brew', 'install', 'nginx']];
    const hasPackage = ['debian', 'ubuntu'].includes(distribution());
    return asRoot && hasPackage ? aptCommands(asRoot, 'nginx-light') : undefined;
  },
});
