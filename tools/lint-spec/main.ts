/** `npm run lint:spec`: reviews the contract, the tour and the interface of chat servers, and lists what it finds, by place. */
import { Option } from 'commander';
import { scriptCommand } from '../../testkit/command-line.js';
import { codeIn, DRAFT } from '../generator/handlers.js';
import { FORMATS } from './finding.js';
import { reviewContract, reviewOther } from './review-file.js';

const CONTRACT = 'openapi.yaml';
const OTHERS = ['docs/tour.arazzo.yaml', 'server/agents/chat/chat-server.yaml'];
const FOUND = 1;

interface Options {
  readonly draft?: true;
  readonly format: keyof typeof FORMATS;
}

const description = 'Review the contract with every reviewer, and list what they find, by place.';

await scriptCommand('lint:spec', description)
  .argument('[file]', `the contract; without it, ${[CONTRACT, ...OTHERS].join(', ')}`)
  .option('--draft', 'accept operations without handlers, and handlers without operations')
  .addOption(new Option('--format <format>', 'how to print').choices(Object.keys(FORMATS)).default('text'))
  .addHelpText('after', '\nEnds with 1 if there are findings, and with 2 if it is used wrongly.')
  .action(async (given: string | undefined, { draft, format }: Options) => {
    const code = draft ? DRAFT : codeIn('.');
    const others = given === undefined ? OTHERS : [];
    const reviews = [reviewContract(given ?? CONTRACT, code), ...others.map(reviewOther)];
    const findings = (await Promise.all(reviews)).flat();
    process.stdout.write(FORMATS[format](findings, [given ?? CONTRACT, ...others]));
    if (findings.length > 0) process.exitCode = FOUND;
  })
  .parseAsync();
