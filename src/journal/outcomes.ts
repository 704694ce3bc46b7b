/** What the outcome of a call says about how it came to be (journal 5.3). */
import { equalBytes } from '../bytes/encoding.ts';
import type { JournalRecord } from './record.ts';

/** Texts with which the engine itself refuses or ends a call (journal 5.3). */
export const DENIED = 'tool call denied by human';
export const EXPIRED = 'tool call denied: the approval gate expired';
const DENIALS: readonly Uint8Array[] = [DENIED, EXPIRED].map((text) => new TextEncoder().encode(JSON.stringify(text)));
const REFUSED = /^"tool \\".*\\" is not available in this run \(its tool (?:filter leaves it out|choice is none)\)"$/s;

/** Whether an outcome is the engine's word that people denied the call, or let it expire. */
export function isDenial({ isError, result }: JournalRecord): boolean {
  return isError && result !== undefined && DENIALS.some((text) => equalBytes(text, result));
}

/** Whether an outcome is the engine's word that the call was not on offer. */
export function isRefusal({ isError, result }: JournalRecord): boolean {
  return isError && result !== undefined && REFUSED.test(new TextDecoder().decode(result));
}

/** Whether a call may run again without a claim (journal 2.7). */
export const isRetrySafe = ({ safety }: JournalRecord): boolean =>
  safety?.readOnly === true || safety?.idempotent === true;
