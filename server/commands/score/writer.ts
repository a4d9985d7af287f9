import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { AnswerBatch, AnswerColumn } from './answers.js';
import type { Answers, WriteJob, WriteReport, WriteRequest } from './write-thread.js';

/** The most batches of answers that wait to be written. */
const MAX_WAITING = 16;

/** Writes files with the rows of others and their answers, one after another, in a thread: DuckDB waits for answers. */
export class Writer {
  readonly #thread: Worker;
  readonly #exited: Promise<unknown>;
  #tables = 0;

  /** @param settings of DuckDB */
  constructor(settings: Readonly<Record<string, string>>) {
    this.#thread = new Worker(new URL('./write-thread.js', import.meta.url), { workerData: settings });
    this.#exited = new Promise((resolve) => this.#thread.once('exit', resolve));
  }

  /**
   * Begins to write a file.
   * @param sqlOf returns the statement that writes it, from the name of the table of answers
   */
  begin(sqlOf: (table: string) => string, columns: readonly AnswerColumn[], rows: number): Writing {
    this.#tables += 1;
    const table = `answers_${this.#tables}`;
    const { port1, port2 } = new MessageChannel();
    const sent = new Int32Array(new SharedArrayBuffer(4));
    const job: WriteJob = { sql: sqlOf(table), columns, table, rows, answers: port2, sent };
    const writing = new Writing(this.#thread, port1, sent);
    this.#thread.postMessage(job satisfies WriteRequest, [port2]);
    return writing;
  }

  /** Call it when no file is being written. */
  async close(): Promise<void> {
    // DuckDB ends the whole process if its thread ends while it opens a database.
    const closed = new Promise<unknown>((resolve) => this.#thread.once('message', resolve));
    this.#thread.postMessage('close' satisfies WriteRequest);
    await Promise.race([closed, this.#exited]);
    await this.#thread.terminate();
  }
}

/** A file that is being written. */
export class Writing {
  /** Resolves with the rows of the file. @throws why it could not be written */
  readonly end: Promise<number>;
  readonly #port: MessagePort;
  readonly #sent: Int32Array;
  #waiting = 0;
  #wake = () => {};

  constructor(thread: Worker, port: MessagePort, sent: Int32Array) {
    this.#port = port;
    this.#sent = sent;
    this.end = new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        thread.off('message', onReport).off('error', onError);
        port.close();
        act();
        this.#wake();
      };
      const onError = (error: unknown) => settle(() => reject(error));
      const onReport = (report: WriteReport) => {
        if (report.kind === 'written') settle(() => resolve(report.rows));
        else if (report.kind === 'failed') settle(() => reject(new Error(report.message)));
        else if (report.kind === 'taken') {
          this.#waiting -= 1;
          this.#wake();
        }
      };
      thread.on('message', onReport).on('error', onError);
    });
    // It is awaited at the end, and until then a failure only ends the wait for room.
    this.end.catch(() => {
      this.#waiting = 0;
      this.#wake();
    });
  }

  /** Hands on answers, and waits while many are not written. @throws why the file could not be written */
  async add(answers: AnswerBatch): Promise<void> {
    if (answers.rows === 0) return;
    this.#send(answers);
    this.#waiting += 1;
    while (this.#waiting >= MAX_WAITING) {
      const room = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await Promise.race([room, this.end]);
    }
  }

  /** Says that all answers were added. */
  finish(): Promise<number> {
    this.#send('end');
    return this.end;
  }

  /** Ends the writing, and waits until the file is closed. */
  async abort(): Promise<void> {
    this.#send('abort');
    await this.end.catch(() => {});
  }

  #send(answers: Answers): void {
    this.#port.postMessage(answers);
    Atomics.add(this.#sent, 0, 1);
    Atomics.notify(this.#sent, 0);
  }
}
