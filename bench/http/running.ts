/** A server that runs. */
export interface Running {
  readonly url: string;
  readonly pid: number;
  kill(): Promise<void>;
}
