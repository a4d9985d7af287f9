import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../server/main.js', import.meta.url));
const HOST = '127.0.0.1';

/** The service in its own process, as `npm start` would run it. */
export interface Service {
  readonly url: string;
  /** Resolves when the process has ended, on Ctrl-C for example. */
  readonly untilStopped: Promise<unknown>;
  stop(): Promise<void>;
}

/**
 * Starts the service with a database file, on port 4000 or, if that is taken, on a free port.
 * @param env variables beside those of this process
 */
export async function startService(
  databaseFile: string,
  env: NodeJS.ProcessEnv = {},
): Promise<Service> {
  const port = await freePort(Number(process.env['PORT'] || 4000));
  const child = spawn(process.execPath, [MAIN], {
    env: {
      ...process.env,
      HOST,
      PORT: String(port),
      BASE_PATH: '',
      DATABASE_URL: `file:${databaseFile}`,
      LOG_LEVEL: 'warn',
      DRAIN_SECONDS: '0',
      ...env,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const untilStopped = once(child, 'exit');
  const stop = async () => {
    child.kill();
    await untilStopped;
  };
  // Ctrl-C reaches both processes; this one waits for the service, and cleans up. Other signals, such as
  // SIGTERM, reach only this one.
  process.on('SIGINT', () => child.kill());
  process.on('SIGTERM', () => child.kill());

  const url = `http://${HOST}:${port}`;
  while (!(await isReady(url))) {
    if (child.exitCode !== null) throw new Error('The service did not start');
    await delay(50);
  }
  return { url, untilStopped, stop };
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health/ready`)).ok;
  } catch {
    return false;
  }
}

async function freePort(wanted: number): Promise<number> {
  const server = createServer();
  server.listen(wanted, HOST);
  try {
    await once(server, 'listening');
  } catch {
    return freePort(0);
  }
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('There is no free port');
  return address.port;
}
