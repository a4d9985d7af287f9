/** Runs Prism on the contract in the current folder, and follows its changes. */
import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { readDocument } from '../../contract/check/index.js';
import { builtDocument } from '../../contract/document.js';
import { readConfig } from '../../server/config.js';
import { scriptCommand } from '../../testkit/command-line.js';
import { DRAFT } from '../generator/handlers.js';
import type { PrismServer } from './mock.js';

const CONTRACT = 'openapi.yaml';
/** The port of the other mock, so that a frontend finds either. */
const PORT = '4010';
/** The time for which the file must rest before it is read: an editor may write it in several steps. */
const REST_MS = 100;
/** The number of faults that are printed. */
const MAX_LINES = 10;

scriptCommand('mock', 'Answer with the examples of openapi.yaml, and follow its changes.').parse();

const say = (text: string) => process.stdout.write(`${text}\n`);

let prism: PrismServer;
/** The last contract without faults. */
let good = '';
let isFaulty = false;

// A request that Prism cannot follow gets no answer, but others do.
process.on('unhandledRejection', (error) => complain(`Prism failed: ${readMessage(error)}`));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit());
try {
  const { port } = readConfig({ PORT: process.env['PORT'] || PORT });
  good = await readContract();
  const document = checkedDocument(good);
  // Prism takes a second to load: a fault of the contract is reported before.
  await import('./english-words.js');
  const { createPrism } = await import('./mock.js');
  prism = createPrism(({ method, url }, reasons) => {
    say([`${method.toUpperCase()} ${url.path}`, ...reasons].join('\n  '));
  });
  await prism.use(document);
  say(`Prism listens on ${await listen(port)}, with the examples of ${CONTRACT}. It needs a key, and accepts
any. It follows changes of ${CONTRACT}. Ctrl-C ends it.`);
  followChanges();
} catch (error) {
  complain(`The mock did not start: ${firstLines(readMessage(error))}`);
  process.exit(1);
}

async function listen(port: number): Promise<string> {
  try {
    return await prism.listen(port);
  } catch (reason) {
    // Prism throws the message alone.
    if (!String(reason).includes('EADDRINUSE')) throw reason;
    throw new Error(`port ${port} is in use; stop what listens there, or choose another PORT`);
  }
}

async function readContract(): Promise<string> {
  try {
    return await readFile(CONTRACT, 'utf8');
  } catch (error) {
    throw new Error(`${CONTRACT} cannot be read: ${readMessage(error)}`);
  }
}

/** Returns the document of a contract. The one of the last build was checked then. */
function checkedDocument(contract: string): object {
  return builtDocument(contract) ?? readDocument(contract, DRAFT);
}

/** Follows each change of the contract, one after another, also if the file is deleted or replaced. */
function followChanges(): void {
  let rest: NodeJS.Timeout | undefined;
  let last = follow();
  // The folder, since many editors put a new file in the place of the old one.
  watch('.', (_, name) => {
    if (name !== CONTRACT) return;
    clearTimeout(rest);
    rest = setTimeout(() => {
      last = last.then(follow);
    }, REST_MS);
  });
}

/** Answers by the contract as it is now, or reports its faults and goes on with the last good one. */
async function follow(): Promise<void> {
  try {
    const contract = await readContract();
    if (contract === good && !isFaulty) return;
    await prism.use(checkedDocument(contract));
    say(`${CONTRACT} ${isFaulty ? 'is valid again' : 'has changed'}: the mock answers with it.`);
    good = contract;
    isFaulty = false;
  } catch (error) {
    isFaulty = true;
    complain(`${firstLines(readMessage(error))}\nThe mock still answers with the contract as it was before.`);
  }
}

/** Half a contract has hundreds of faults. */
function firstLines(text: string): string {
  const lines = text.split('\n');
  const more = lines.length - MAX_LINES;
  if (more <= 0) return text;
  return [...lines.slice(0, MAX_LINES), `and ${more} more: npm run lint:spec`].join('\n');
}

function complain(text: string): void {
  process.stderr.write(`${text}\n`);
}

function readMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
