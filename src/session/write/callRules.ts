/** What may be appended to a call, and what a link must name, on the path to the new entry's parent. Session-format 4.9. */
import { type Call, calls, dispatches, isAnswered, isRejected } from '../calls.ts';
import type { DecisionEntry, DispatchEntry, Entry, LinkEntry } from '../model.ts';
import type { CurrentPath } from '../pathTracker.ts';
import type { EntryIndex, Session } from '../session.ts';
import { SessionError } from './error.ts';

/** The entries that concern calls, by what they name, so that one call is looked at without walking its path. */
export class CallIndex {
  /** The first function call of the session with an id, on any branch. */
  readonly #callOf = new Map<string, EntryIndex>();
  /** Function calls and outputs by call id; decisions and dispatches by call id and by target. */
  readonly #byCallId = new Map<string, EntryIndex[]>();
  readonly #byTarget = new Map<string, EntryIndex[]>();
  readonly #dispatches = new Map<string, EntryIndex[]>();

  add(index: EntryIndex, entry: Entry): void {
    if (entry.kind === 'item') {
      const { type, callId = '' } = entry.item;
      if (type === 'function_call' && !this.#callOf.has(callId)) this.#callOf.set(callId, index);
      if (type === 'function_call' || type === 'function_call_output') push(this.#byCallId, callId, index);
    } else if (entry.kind === 'decision' || entry.kind === 'dispatch') {
      push(this.#byCallId, entry.callId, index);
      push(this.#byTarget, entry.target, index);
      if (entry.kind === 'dispatch') push(this.#dispatches, `${entry.target} ${entry.callId}`, index);
    }
  }

  callOf(callId: string): EntryIndex | undefined {
    return this.#callOf.get(callId);
  }

  dispatchesOf(key: string): readonly EntryIndex[] {
    return this.#dispatches.get(key) ?? [];
  }

  /** The entries of a path that concern the call of one item entry, in path order. */
  onPath(path: CurrentPath, call: EntryIndex, target: string, callId: string): readonly EntryIndex[] {
    const all = new Set([call, ...(this.#byCallId.get(callId) ?? []), ...(this.#byTarget.get(target) ?? [])]);
    return [...all].filter((index) => path.placeOf(index) >= 0).sort((a, b) => a - b);
  }
}

function push(map: Map<string, EntryIndex[]>, key: string, index: EntryIndex): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [index]);
  else list.push(index);
}

/** Throws SessionError for the first condition of 4.9 that an entry breaks under the path. */
export function checkCallRules(session: Session, index: CallIndex, path: CurrentPath, entry: Entry): void {
  if (entry.kind === 'item' && entry.item.type === 'function_call') {
    const callId = entry.item.callId ?? '';
    if (callId === '') throw new SessionError('call_id_empty', 'a function call has no call id');
    if (index.callOf(callId) !== undefined)
      throw new SessionError(
        'call_id_repeated',
        `the call id ${JSON.stringify(callId)} already belongs to another function call of the session`,
      );
  } else if (entry.kind === 'decision' || entry.kind === 'dispatch') checkCall(session, index, path, entry);
  else if (entry.kind === 'link') checkLink(session, path, entry);
}

function checkCall(session: Session, index: CallIndex, path: CurrentPath, entry: DecisionEntry | DispatchEntry): void {
  const target = session.find(entry.target);
  const item =
    target !== undefined && path.placeOf(target) >= 0 && session.usable(target) ? session.entry(target) : undefined;
  if (
    target === undefined ||
    item?.kind !== 'item' ||
    item.item.type !== 'function_call' ||
    (item.item.callId ?? '') !== entry.callId
  )
    throw new SessionError(
      'bad_target',
      `the target of this ${entry.kind} is no function call of its path with the call id ${JSON.stringify(entry.callId)}`,
    );
  const events = index.onPath(path, target, entry.target, entry.callId);
  const call = calls(session, events).find((made) => made.entry === target);
  if (call === undefined) return;
  if (entry.kind === 'dispatch') {
    if (isRejected(call)) throw rejected('dispatched');
    if (isAnswered(call)) throw answered('dispatched');
    if (call.output !== undefined) throw completed('dispatched');
    return;
  }
  if (entry.withdrawn) {
    if (call.events.at(-1)?.kind !== 'dispatch')
      throw new SessionError('bad_withdrawal', 'a withdrawal directly follows a dispatch of its call');
    return;
  }
  checkDecision(session, index, path, call, entry);
}

function checkDecision(
  session: Session,
  index: CallIndex,
  path: CurrentPath,
  call: Call,
  { verdict, target, callId }: DecisionEntry,
): void {
  if (isAnswered(call)) throw answered('decided on');
  if (isRejected(call)) throw rejected('decided on');
  const dispatched = dispatches(call).length > 0;
  if (verdict === 'reject' && dispatched)
    throw new SessionError('reject_dispatched', 'a call that was handed to its tool is not rejected but answered');
  if ((verdict === 'answer' || verdict === 'reject') && call.output !== undefined) throw completed('ended');
  if (verdict !== 'answer' || dispatched || !session.header.records.includes('dispatch') || !session.own(call.entry))
    return;
  const elsewhere = index.dispatchesOf(`${target} ${callId}`).some((each) => path.placeOf(each) < 0);
  if (!elsewhere)
    throw new SessionError(
      'answer_not_dispatched',
      'a call is answered that no dispatch shows to have run, though the header promises that dispatches are recorded',
    );
}

function checkLink(session: Session, path: CurrentPath, entry: LinkEntry): void {
  const { rel, callId = '', cancel, target = '' } = entry;
  if (rel === 'peer' && !cancel) {
    if (callId === '') throw new SessionError('callee_link', 'a peer link names the call that reached it');
    if (entry.url === undefined && entry.session === '')
      throw new SessionError('callee_link', 'a peer link names an address or a session');
  }
  if (!cancel) return;
  const named = session.find(target);
  const link =
    named !== undefined && path.placeOf(named) >= 0 && session.usable(named) ? session.entry(named) : undefined;
  const isCallee = link?.kind === 'link' && (link.rel === 'subsession' || link.rel === 'peer') && !link.cancel;
  if (!isCallee || link.rel !== rel || (link.callId ?? '') !== callId)
    throw new SessionError(
      'callee_link',
      'a cancel notice names a link before it on its path of its relation and call',
    );
}

function rejected(what: string): SessionError {
  return new SessionError('call_rejected', `a rejected call is ${what}`);
}
function answered(what: string): SessionError {
  return new SessionError('call_answered', `an answered call is ${what}`);
}
function completed(what: string): SessionError {
  return new SessionError('call_completed', `a call that has its output is ${what}`);
}
