#!/usr/bin/env node
/** `npx roster-client types URL`: writes the types of the models of a running service. */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createRosterClient, isProblem, retry, rosterTypes, timeout, UnexpectedAnswerError } from 'roster-client';

const USAGE = `Usage: roster-client types URL [options]

Writes TypeScript types of the models of a project: their columns, classes and answers.
createRoster<Models>(…) of roster-client reads them.

  --project NAME    the project (default: "default")
  --output FILE     the file to write (default: standard output)
  --key-file FILE   a file that holds the key (default: the variable ROSTER_KEY)
  --help            shows this
`;

/** The time that the whole of each request may take, with its retries, in milliseconds. */
const TIMEOUT_MS = 60_000;

try {
  await main();
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      project: { type: 'string', default: 'default' },
      output: { type: 'string' },
      'key-file': { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  const [command, url, ...rest] = positionals;
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  if (command !== 'types' || url === undefined || rest.length > 0) throw new Error(USAGE);
  const apiKey = readKey(values['key-file']);
  const roster = createRosterClient({ baseUrl: checkUrl(url), apiKey });
  roster.use(timeout(TIMEOUT_MS), retry());
  const types = await rosterTypes(roster, values.project).catch((error) => explain(error, url, apiKey !== undefined));
  if (values.output === undefined) process.stdout.write(types);
  else writeFileSync(values.output, types);
}

function checkUrl(url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new Error(`${url} is not an address; give one such as http://127.0.0.1:4000`);
  }
  return url;
}

function readKey(file: string | undefined): string | undefined {
  const key = file === undefined ? process.env['ROSTER_KEY'] : readFileSync(file, 'utf8');
  return key?.trim() || undefined;
}

/** @throws always, with what to do about it */
function explain(error: unknown, url: string, hasKey: boolean): never {
  if (isProblem(error, '/problems/unauthorized')) {
    const remedy = hasKey
      ? 'refuses this key; check ROSTER_KEY or the file of --key-file'
      : 'asks for a key; set ROSTER_KEY, or name a file that holds it with --key-file';
    throw new Error(`${url} ${remedy}`);
  }
  if (isProblem(error, '/problems/project-not-found')) {
    throw new Error(`${error.problem.detail} Choose another one with --project.`);
  }
  if (isProblem(error)) throw error;
  if (error instanceof UnexpectedAnswerError) {
    throw new Error(`${url} is not a Roster service: it answers with ${error.response.status}`);
  }
  const { cause } = error instanceof Error ? error : {};
  const reason = cause instanceof Error ? cause.message : String(error);
  throw new Error(`${url} cannot be read: ${reason}`);
}
