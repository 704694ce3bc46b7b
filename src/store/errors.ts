/** Conditions that a store reports, each by a stable code (session-store 1.2); those of the format are raised by the writer with `code` alike. */
import { countsAs } from '../session/write/error.ts';

export class StoreError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = 'StoreError';
    this.code = code;
  }
}

/** A ref is not what the caller expected; says what it is. */
export class RefMoved extends StoreError {
  readonly current: RefTarget | null;
  constructor(name: string, current: RefTarget | null) {
    super('ref_moved', `the ref ${JSON.stringify(name)} is not where it was expected`);
    this.current = current;
  }
}

/** A ref names a session that the store does not hold, or another one under the same id (session-store 7). */
export class DanglingRef extends StoreError {
  readonly target: RefTarget;
  constructor(name: string, target: RefTarget) {
    super('no_session', `the ref ${JSON.stringify(name)} names the session ${target.session}, which is not held`);
    this.target = target;
  }
}

export interface RefTarget {
  readonly session: string;
  /** Pinned entry. */
  readonly entry?: string;
}

/** The code of an error of a store or of the writer. */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as { readonly code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** Whether an error is of this condition, or of one that counts as it too. */
export function isCondition(error: unknown, code: string): boolean {
  const found = codeOf(error);
  return found !== undefined && countsAs(found, code);
}
