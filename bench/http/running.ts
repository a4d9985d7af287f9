/** A running server. */
export interface Running {
  readonly url: string;
  readonly pid: number;
  kill(): Promise<void>;
}
