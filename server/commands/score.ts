import { Command, InvalidArgumentError } from 'commander';
import { loadDuckdb } from '../databases/duckdb/load-duckdb.js';
import { type ProjectOptions, RemoteProject, withProject } from './project-client.js';
import type { Scorer } from './score/answers.js';
import { findModel, type ScoredModel } from './score/model.js';
import { readOnnxFile } from './score/onnx-file.js';
import { openOnnx } from './score/onnx-scorer.js';
import { type Output, planOutputs } from './score/plan.js';
import { Progress } from './score/progress.js';
import { describeOrigin, isFinished, scoreOutput } from './score/score-output.js';
import { openConnections, openService } from './score/service-scorer.js';
import { Writer } from './score/writer.js';

interface ScoreOptions extends ProjectOptions {
  readonly from: readonly string[];
  readonly to: string;
  readonly onnx?: string;
  readonly columns?: readonly string[];
  readonly confidence?: number;
  readonly probabilities?: boolean;
  readonly warnings?: boolean;
  readonly contributions?: boolean;
  readonly allowMissing?: boolean;
  readonly again?: boolean;
}

export const scoreCommand = withProject(
  new Command('score').description('score the rows of Parquet files with a model, into files with its answers'),
)
  .argument('[model]', 'its name, or a version of it, such as prices.3; not with --onnx')
  .requiredOption('--from <files...>', "files, or patterns such as 'data/*.parquet'")
  .requiredOption('--to <file>', 'the file for all rows, or a folder that ends in / for a file each')
  .option('--columns <names>', 'the columns of the rows that are kept, separated by commas (default: all)', readNames)
  .option('--onnx <file>', 'a model as a file of ONNX, which scores without a service')
  .option('--confidence <share>', 'the confidence of each interval or set, such as 0.9', readConfidence)
  .option('--probabilities', 'add the probability of each class')
  .option('--warnings', 'add what is unlike the table of the training in each row')
  .option('--contributions', 'add what each column contributes')
  .option('--allow-missing', 'count columns that the files lack as missing values')
  .option('--again', 'score files anew that are there already')
  .action(score);

/** The settings of both instances of DuckDB: one reads the rows to send, the other reads all and writes. */
const SETTINGS = { threads: '1', memory_limit: '512MB' } as const;

/** The exit code of a command that Ctrl-C ends. */
const INTERRUPTED = 130;

async function score(model: string | undefined, options: ScoreOptions): Promise<void> {
  const { DuckDBInstance } = loadDuckdb();
  const { allowMissing = false } = options;
  const { found, open, close } = await findSource(model, options);
  const interrupted = new AbortController();
  const stop = () => {
    process.exitCode = INTERRUPTED;
    interrupted.abort(new Error('interrupted'));
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const instance = await DuckDBInstance.create(':memory:', SETTINGS);
  const connection = await instance.connect();
  const writer = new Writer(SETTINGS);
  try {
    const outputs = await planOutputs(connection, found, { ...options, allowMissing });
    const query = writeQuery(options);
    const due: { readonly output: Output; readonly origin: string }[] = [];
    for (const output of outputs) {
      const origin = describeOrigin(output, found, query.toString());
      if (options.again || !(await isFinished(connection, output, origin))) due.push({ output, origin });
    }
    const total = due.flatMap(({ output }) => output.inputs).reduce((sum, { rows }) => sum + rows, 0);
    const progress = new Progress(total, process.stderr);
    const finished = outputs.length - due.length;
    if (finished > 0) progress.note(`${finished} of ${outputs.length} files are scored already.`);
    for (const [done, { output, origin }] of due.entries()) {
      const scorer = await open({ output, query, progress, signal: interrupted.signal });
      const scoring = { connection, scorer, writer, target: found.target, signal: interrupted.signal };
      await scoreOutput(output, origin, { ...scoring, onRows: (rows) => progress.add(rows) }).catch(
        (error: unknown) => {
          throw explainEnd(error, finished + done, outputs.length);
        },
      );
    }
    if (due.length > 0)
      progress.note(
        `${due.length} ${due.length === 1 ? 'file' : 'files'} scored with ${found.name}.${found.version}: ${progress.summary()}`,
      );
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    close();
    connection.closeSync();
    instance.closeSync();
    await writer.close();
  }
}

interface Opening {
  readonly output: Output;
  readonly query: URLSearchParams;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** A model, and the way to it. */
interface Source {
  readonly found: ScoredModel;
  readonly open: (opening: Opening) => Promise<Scorer>;
  /** Ends the connections to a service. */
  readonly close: () => void;
}

/** @throws if there is no such model, or it does not score rows */
async function findSource(model: string | undefined, options: ScoreOptions): Promise<Source> {
  const { onnx, confidence, probabilities = false, warnings = false, contributions = false } = options;
  if (onnx !== undefined) {
    if (model !== undefined) throw new Error('name a model or --onnx, not both');
    if (warnings || contributions)
      throw new Error('a file of ONNX has no warnings and no contributions; leave them out');
    const file = readOnnxFile(onnx);
    const open = ({ output }: Opening) => openOnnx(file, output.sent, { confidence, probabilities });
    return { found: file, open, close: () => {} };
  }
  if (model === undefined) throw new Error('name a model, such as prices, or a file of ONNX with --onnx');
  const project = new RemoteProject(options);
  const found = await findModel(project, model, warnings);
  const { address, headers } = project.prediction(`${found.name}.${found.version}`);
  const agent = openConnections(address);
  const open = ({ output, query, progress, signal }: Opening) => {
    address.search = query.toString();
    return openService(
      { address, headers, agent, answer: found.target, onWait: (message) => progress.note(message) },
      output.sent,
      signal,
    );
  };
  return { found, open, close: () => agent.destroy() };
}

function writeQuery({ confidence, probabilities, warnings, contributions }: ScoreOptions): URLSearchParams {
  const query = new URLSearchParams();
  if (confidence !== undefined) query.set('confidence', String(confidence));
  for (const [name, isWanted] of Object.entries({ probabilities, warnings, contributions })) {
    if (isWanted) query.set(name, 'true');
  }
  return query;
}

function explainEnd(error: unknown, done: number, all: number): Error {
  const message = error instanceof Error ? error.message : String(error);
  return new Error(`${message}\n${done} of ${all} files are whole; the same command scores the others.`, {
    cause: error,
  });
}

function readNames(text: string): string[] {
  return text.split(',').map((name) => name.trim());
}

/** @throws {InvalidArgumentError} */
function readConfidence(text: string): number {
  const value = Number(text);
  if (/^0?\.\d+$/.test(text) && value >= 0.01 && value <= 0.99) return value;
  throw new InvalidArgumentError('It must be a number from 0.01 to 0.99, such as 0.9.');
}
