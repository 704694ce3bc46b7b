/** The stores as a program imports them: `audit/store`. Node only. */
export type { Entry, Header } from '../session/model.ts';
export type { Session } from '../session/session.ts';
export type { HeaderInit } from '../session/write/create.ts';
export { draft, draftOfLine, type EntryDraft } from '../session/write/draft.ts';
export { SessionError } from '../session/write/error.ts';
export type { LiveSession } from '../session/write/live.ts';
export { original, originDispatches, redactions } from './across.ts';
export { ContinuedRefMoved, continueRef, continueSession, resolveCurrent, sessionFor } from './continuing.ts';
export type * from './contract.ts';
export { codeOf, DanglingRef, isCondition, RefMoved, type RefTarget, StoreError } from './errors.ts';
export { jsonlStore, memoryStore, openStore, sqliteStore } from './open.ts';
