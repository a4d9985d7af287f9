/**
 * `npm run pack:check`: installs each package of `dist/packages/` in an empty folder, and uses it, on each version of
 * Node.js: `npm run pack:check -- 22 24` on these alone.
 */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { InvalidArgumentError } from 'commander';
import { scriptCommand } from '../../testkit/command-line.js';
import { root } from '../../testkit/root.js';
import { findListeningUrl, startChild } from '../../testkit/service/child-process.js';

const VERSIONS = ['20.19', '22', '24', '26'];

/** The addresses that a started service answers, with a part of the answer. */
const ANSWERS = {
  '/health/ready': 'ready',
  '/': '<title>',
  '/console/index.js': 'function',
  '/docs': '<title>',
  '/openapi.yaml': 'openapi: 3.1',
};

const run = promisify(execFile);
const inProject = (path: string) => fileURLToPath(new URL(path, root));
const PACKAGES = inProject('dist/packages/');
const CONSUMERS = inProject('tools/pack/consumers/');

const { args: asked } = scriptCommand('pack:check', 'Use each package on each version of Node.js.')
  .argument('[versions...]', 'on these versions alone, such as 22 24', readVersion)
  .parse();
try {
  for (const version of asked.length > 0 ? asked : VERSIONS) {
    const begun = Date.now();
    await checkOn(version);
    const seconds = Math.round((Date.now() - begun) / 1000);
    process.stdout.write(`Node.js ${version}: all packages work (${seconds} s)\n`);
  }
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

/** @throws {InvalidArgumentError} */
function readVersion(text: string): string {
  if (/^\d+(\.\d+){0,2}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a version of Node.js, such as 22 or 20.19.');
}

async function checkOn(version: string): Promise<void> {
  const env = await makeEnvironment(version);
  // Outside the project, whose packages Node would find from within.
  const parent = mkdtempSync(join(tmpdir(), `roster-pack-${version}-`));
  try {
    const names = ['roster', 'roster-client', 'roster-prediction', 'roster-review', 'roster-contract'];
    const [server = '', client = '', prediction = '', review = '', contract = ''] = await Promise.all(
      names.map((name) => install(name, join(parent, name), env)),
    );
    await compile(client, 'client.ts');
    await checkServer(server, env, (url, key) => check(client, 'client.js', env, url, key));
    await compile(prediction, 'prediction.ts');
    await check(prediction, 'prediction.js', env);
    await run(join(review, 'node_modules/.bin/roster-review'), ['--help'], { env });
    copyFileSync(join(CONSUMERS, 'contract.mjs'), join(contract, 'contract.mjs'));
    await check(contract, 'contract.mjs', env);
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

/** Returns the environment of a version of Node.js, without what `npm run` says of this project. */
async function makeEnvironment(version: string): Promise<NodeJS.ProcessEnv> {
  const print = [inProject('dist/tools/on-demand/main.js'), version];
  const { stdout } = await run(process.execPath, [...print, 'node', '--print', 'process.execPath']);
  const ofProject = /^(npm_(package|lifecycle|command|config_local_prefix)|INIT_CWD|NODE_PATH)/;
  const rest = Object.entries(process.env).filter(([name]) => !ofProject.test(name));
  const node = dirname(stdout.trim());
  return { ...Object.fromEntries(rest), PATH: `${node}${delimiter}${process.env['PATH'] ?? ''}` };
}

/**
 * Installs a packed package, such as `roster-client`, alone in a new folder.
 * @returns the folder
 * @throws if it is not packed, or if npm cannot install it
 */
async function install(name: string, folder: string, env: NodeJS.ProcessEnv): Promise<string> {
  const isOfPackage = new RegExp(`^${name}-\\d.*\\.tgz$`);
  const tarball = readdirSync(PACKAGES).find((file) => isOfPackage.test(file));
  if (tarball === undefined) throw new Error(`there is no ${name} in dist/packages; npm run pack`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const options = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  const args = ['install', ...options, '--loglevel', 'error', join(PACKAGES, tarball)];
  await run('npm', args, { cwd: folder, env });
  return folder;
}

/** Compiles a program of `consumers/` against the types of the package in a folder. */
async function compile(folder: string, program: string): Promise<void> {
  copyFileSync(join(CONSUMERS, program), join(folder, program));
  const libraries = ['--lib', 'es2022,dom,dom.iterable', '--types', ''];
  const args = ['--strict', '--target', 'es2022', '--module', 'nodenext', ...libraries, program];
  // A failed compiler prints to standard output.
  await run(inProject('node_modules/.bin/tsc'), args, { cwd: folder }).catch((cause) => {
    throw new Error(`${program} does not compile:\n${cause.stdout}`, { cause });
  });
}

/** Runs `check` of a program. */
async function check(folder: string, program: string, env: NodeJS.ProcessEnv, ...args: string[]): Promise<void> {
  const script = `import { check } from './${program}'; await check(...process.argv.slice(1));`;
  const options = ['--input-type=module', '--eval', script, '--', ...args];
  await run('node', options, { cwd: folder, env });
}

/**
 * Creates a key with the installed command `roster`, starts the service, reads its pages, and stops it.
 * @param use uses the service
 */
async function checkServer(
  folder: string,
  env: NodeJS.ProcessEnv,
  use: (url: string, key: string) => Promise<void>,
): Promise<void> {
  // As `npx` finds it.
  const roster = join(folder, 'node_modules/.bin/roster');
  const settings = {
    ...env,
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'info',
    DATABASE_URL: `file:${join(folder, 'roster.db')}`,
    DRAIN_SECONDS: '0',
  };
  const create = ['keys', 'create', '--name', 'check'];
  const { stdout } = await run(roster, create, { env: settings });
  const { url, stop } = await startChild(roster, ['start'], settings, findListeningUrl);
  try {
    await readPages(url);
    await use(url, stdout.trim());
  } catch (error) {
    await stop();
    throw error;
  }
  const code = await stop();
  if (code !== 0) throw new Error(`The service stopped with ${code}`);
}

async function readPages(url: string): Promise<void> {
  for (const [path, part] of Object.entries(ANSWERS)) {
    // As a browser: for programs, `/` is an unknown address.
    const response = await fetch(url + path, { headers: { Accept: 'text/html, */*' } });
    const text = await response.text();
    if (!response.ok || !text.includes(part)) {
      throw new Error(`${path} answers ${response.status}: ${text.slice(0, 200)}`);
    }
  }
}
