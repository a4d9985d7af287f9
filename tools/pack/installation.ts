import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { root } from '../../testkit/root.js';

const run = promisify(execFile);
const PACKAGES = fileURLToPath(new URL('dist/packages/', root));
const CONSUMERS = fileURLToPath(new URL('tools/pack/consumers/', root));
const NODE = fileURLToPath(new URL('dist/tools/node/main.js', root));
const TSC = fileURLToPath(new URL('node_modules/.bin/tsc', root));

/** Returns the environment of a version of Node.js, without what `npm run` says of this project. */
export async function environmentOf(version: string): Promise<NodeJS.ProcessEnv> {
  const print = [NODE, version, 'node', '--print', 'process.execPath'];
  const { stdout } = await run(process.execPath, print);
  const ofProject = /^(npm_(package|lifecycle|command|config_local_prefix)|INIT_CWD|NODE_PATH)/;
  const rest = Object.entries(process.env).filter(([name]) => !ofProject.test(name));
  const node = dirname(stdout.trim());
  return { ...Object.fromEntries(rest), PATH: `${node}${delimiter}${process.env['PATH'] ?? ''}` };
}

/** A packed package, installed alone in a folder. */
export class Installation {
  private constructor(
    readonly folder: string,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  /**
   * Installs a package in a new folder.
   * @param name its name, such as `roster-client`
   * @throws if it is not packed, or if npm cannot install it
   */
  static async make(parent: string, name: string, env: NodeJS.ProcessEnv): Promise<Installation> {
    const tarball = readdirSync(PACKAGES).find((file) =>
      new RegExp(`^${name}-\\d.*\\.tgz$`).test(file),
    );
    if (tarball === undefined)
      throw new Error(`there is no ${name} in dist/packages; npm run pack`);
    const folder = join(parent, name);
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    const options = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
    const args = ['install', ...options, '--loglevel', 'error', join(PACKAGES, tarball)];
    await run('npm', args, { cwd: folder, env });
    return new Installation(folder, env);
  }

  /** Compiles a program of `consumers/` against the types of the package. */
  async compile(program: string): Promise<void> {
    copyFileSync(join(CONSUMERS, program), join(this.folder, program));
    const libraries = ['--lib', 'es2022,dom,dom.iterable', '--types', ''];
    const args = ['--strict', '--target', 'es2022', '--module', 'nodenext', ...libraries, program];
    // A failed compiler prints to standard output.
    await run(TSC, args, { cwd: this.folder }).catch((cause) => {
      throw new Error(`${program} does not compile:\n${cause.stdout}`, { cause });
    });
  }

  /** Copies a program of `consumers/` that is not compiled. */
  copy(program: string): void {
    copyFileSync(join(CONSUMERS, program), join(this.folder, program));
  }

  /** Runs `check` of a program. */
  async check(program: string, ...args: string[]): Promise<void> {
    const script = `import { check } from './${program}'; await check(...process.argv.slice(1));`;
    const eval_ = ['--input-type=module', '--eval', script, '--', ...args];
    await run('node', eval_, { cwd: this.folder, env: this.env });
  }

  /** Returns the path of a command of the package, as `npx` finds it. */
  command(name: string): string {
    return join(this.folder, 'node_modules/.bin', name);
  }
}
