/** `npm run lint:spec`: reviews the contract with every reviewer, and prints one list, by place. Redocly reviews the tour and the interface of chat servers, too. */
import { Command, CommanderError, Option } from 'commander';
import { FORMATS } from './finding.js';
import { reviewFile } from './review-file.js';
import { contractReviewer, redocly, released, spectral } from './reviewers.js';

const CONTRACT = 'openapi.yaml';
const OTHERS = ['docs/tour.arazzo.yaml', 'server/agents/chat/chat-server.yaml'];
const FOUND = 1;
const WRONG_USE = 2;

interface Options {
  readonly draft?: true;
  readonly format: keyof typeof FORMATS;
}

const command = new Command('lint:spec')
  .description('review the contract with every reviewer, and list what they find, by place')
  .argument('[file]', `the contract; without it, ${[CONTRACT, ...OTHERS].join(', ')}`)
  .option('--draft', 'accept operations without handlers, and handlers without operations')
  .addOption(
    new Option('--format <format>', 'how to print').choices(Object.keys(FORMATS)).default('text'),
  )
  .addHelpText('after', '\nEnds with 1 if there are findings, and with 2 if it is used wrongly.')
  .exitOverride()
  .action(async (given: string | undefined, { draft, format }: Options) => {
    const code = { handlers: draft ? undefined : await handlers() };
    const contract = [contractReviewer(code), released, spectral, redocly];
    const others = given === undefined ? OTHERS : [];
    const reviews = [
      reviewFile(given ?? CONTRACT, contract),
      ...others.map((file) => reviewFile(file, [redocly])),
    ];
    const findings = (await Promise.all(reviews)).flat();
    process.stdout.write(FORMATS[format](findings, [given ?? CONTRACT, ...others]));
    if (findings.length > 0) process.exitCode = FOUND;
  });

/** Loaded on demand: it brings the compiler, which takes four fifths of the start. */
async function handlers(): Promise<Map<string, string>> {
  const { handlersIn } = await import('../generator/handlers.js');
  return handlersIn('.');
}

try {
  await command.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? 0 : WRONG_USE;
}
