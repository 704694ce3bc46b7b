/** What a decision is about (approvals 2.7): one call of one run, with the arguments that were asked for. */
export interface Subject {
  readonly run: string;
  /** Raw tool-use id; the node key of a flow gate. */
  readonly call: string;
  readonly tool: string;
  /** Raw arguments; undefined when the call has none. */
  readonly args: Uint8Array | undefined;
}
