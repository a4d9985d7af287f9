import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { type ArrowValues, type Field, readArrowColumns } from 'roster-prediction/arrow';
import { parseJson } from '../../../contract/json-record.js';
import { toServiceError } from '../project-client.js';
import { type AnswerBatch, type AnswerColumn, readAnswerColumn, type Scorer } from './answers.js';
import { noRows, type RowBatch, type RowColumn, writeArrow } from './row-batch.js';

const ARROW = 'application/vnd.apache.arrow.stream';

/** The requests at once: an owner may have two bodies of Arrow answered at the same time. */
const PARALLEL = 2;

/** The time without any answer after which the scoring ends, and the longest silence of a connection, in milliseconds. */
const PATIENCE_MS = 60_000;
const SILENCE_MS = 60_000;

/** The wait before rows are sent again, at first, and the longest one, in milliseconds. */
const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 5_000;

/** The statuses of requests that may be answered later. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** A failure that may pass: the rows are sent again. */
class PassingError extends Error {
  constructor(
    message: string,
    readonly waitMs?: number,
  ) {
    super(message);
  }
}

export interface ServiceTarget {
  readonly address: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** The connections to the service, from `openConnections`. */
  readonly agent: HttpAgent;
  /** The column of the answer itself. */
  readonly answer: string;
  /** Called once when rows have to be sent again, until an answer has arrived. */
  readonly onWait: (message: string) => void;
}

/** Returns the connections to a service, which all files of a scoring share. Their owner destroys them. */
export function openConnections({ protocol }: URL): HttpAgent {
  const options = { keepAlive: true, maxSockets: PARALLEL };
  return protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options);
}

/**
 * Opens the way to a model of a service: asks for the answer to no rows, which has the columns of all answers.
 * @throws {ServiceProblem} if the service refuses
 */
export async function openService(
  target: ServiceTarget,
  columns: readonly RowColumn[],
  signal: AbortSignal,
): Promise<Scorer> {
  const scorer = new ServiceScorer(target, columns);
  await scorer.score(noRows(columns), signal);
  return scorer;
}

class ServiceScorer implements Scorer {
  readonly parallel = PARALLEL;
  columns: readonly AnswerColumn[] = [];
  readonly #target: ServiceTarget;
  readonly #sent: readonly RowColumn[];
  #lastAnswer = performance.now();
  #isWaiting = false;

  constructor(target: ServiceTarget, sent: readonly RowColumn[]) {
    this.#target = target;
    this.#sent = sent;
  }

  async score(batch: RowBatch, signal: AbortSignal): Promise<AnswerBatch[]> {
    const body = writeArrow(this.#sent, batch);
    const begun = performance.now();
    for (let attempt = 0; ; attempt++) {
      signal.throwIfAborted();
      try {
        const answers = await this.#send(body, batch.rows, signal);
        this.#lastAnswer = performance.now();
        this.#isWaiting = false;
        return answers;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof PassingError)) throw error;
        if (performance.now() - Math.max(begun, this.#lastAnswer) > PATIENCE_MS) {
          throw new Error(`${error.message}; no rows were answered for ${PATIENCE_MS / 1000} s`, { cause: error });
        }
        await this.#wait(error, attempt, signal);
      }
    }
  }

  async #wait({ message, waitMs }: PassingError, attempt: number, signal: AbortSignal): Promise<void> {
    if (!this.#isWaiting) this.#target.onWait(`${message}; the rows are sent again`);
    this.#isWaiting = true;
    const longest = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
    await pause(waitMs ?? longest * (0.5 + Math.random() / 2), undefined, { signal });
  }

  async #send(body: Uint8Array, rows: number, signal: AbortSignal): Promise<AnswerBatch[]> {
    const response = await this.#request(body, signal);
    const status = response.statusCode ?? 0;
    if (status !== 200) throw await this.#refused(response, status);
    const answers = await this.#read(response);
    const count = answers.reduce((sum, answer) => sum + answer.rows, 0);
    if (count !== rows) throw new Error(`the service answered ${rows} rows with ${count}`);
    return answers;
  }

  #request(body: Uint8Array, signal: AbortSignal): Promise<IncomingMessage> {
    const { address, headers, agent } = this.#target;
    const send = address.protocol === 'https:' ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const options = {
        method: 'POST',
        agent,
        signal,
        timeout: SILENCE_MS,
        headers: { ...headers, 'Content-Type': ARROW, Accept: ARROW, 'Content-Length': body.length },
      };
      const request = send(address, options, resolve);
      request.on('timeout', () => request.destroy(new Error(`it sent nothing for ${SILENCE_MS / 1000} s`)));
      request.on('error', (cause) => reject(this.#broken(cause)));
      request.end(body);
    });
  }

  #broken(cause: unknown): PassingError {
    const reason = cause instanceof Error ? cause.message || String('code' in cause && cause.code) : String(cause);
    return new PassingError(`${this.#target.address.origin} does not answer: ${reason}`);
  }

  async #refused(response: IncomingMessage, status: number): Promise<Error> {
    const bytes = await buffer(response).catch((cause: unknown) => cause);
    if (!(bytes instanceof Buffer)) return this.#broken(bytes);
    const error = toServiceError(status, parseJson(bytes.toString()), this.#target.address);
    if (!PASSING.has(status)) return error;
    const seconds = Number(response.headers['retry-after']);
    return new PassingError(error.message, seconds > 0 ? Math.min(seconds * 1000, PATIENCE_MS) : undefined);
  }

  /** @throws {PassingError} if the answer breaks off */
  async #read(response: IncomingMessage): Promise<AnswerBatch[]> {
    let broken: PassingError | undefined;
    const pieces = async function* (this: ServiceScorer) {
      try {
        yield* response;
      } catch (cause) {
        broken = this.#broken(cause);
        throw broken;
      }
    };
    const answers: AnswerBatch[] = [];
    try {
      for await (const { rows, columns } of readArrowColumns(pieces.call(this), (fields) => this.#choose(fields))) {
        answers.push({ rows, columns: columns.map(compact) });
      }
      return answers;
    } catch (error) {
      throw broken ?? error;
    } finally {
      response.destroy();
    }
  }

  /** Returns the places of the columns that the answer adds: they stand behind those of the rows, of which it has all. */
  #choose(fields: readonly Field[]): number[] {
    const first = fields.findIndex(({ name }) => name === this.#target.answer);
    if (first < 0) throw new Error(`the service answers without the column ${this.#target.answer}; update roster`);
    const added = fields.slice(first);
    this.columns = added.map(readAnswerColumn);
    return added.map((_, index) => first + index);
  }
}

/** Numbers in a memory of their own can be handed to another thread without the rest of the answer. */
function compact(column: ArrowValues): ArrowValues {
  if (column.kind !== 'numbers') return column;
  return { ...column, values: column.values.slice(), validity: column.validity?.slice() ?? null };
}
