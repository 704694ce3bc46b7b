/** Who is to be told of what: the operator's routing (notifications 10). */
import { compareUtf8 } from '../bytes/encoding.ts';
import { validReceiver } from './keys.ts';

export interface Routing {
  /** Event kind to receiver. */
  readonly routes: ReadonlyMap<string, string>;
  /** Approver to receiver; ids match as exact bytes. */
  readonly approverRoutes: ReadonlyMap<string, string>;
  /** Event kind to the chain of receivers. */
  readonly escalation: ReadonlyMap<string, readonly string[]>;
}

/** The kinds of event that may owe an all-clear, are listed on the open trail and may have a chain: "the three kinds" of 4.2. */
export const THREE_KINDS: ReadonlySet<string> = new Set(['outcome_unknown', 'approval_pending', 'recovery_failing']);
/** Kinds that are about another event. */
export const DERIVED_KINDS: ReadonlySet<string> = new Set(['resolved', 'notification_overdue', 'escalated']);
/** Kinds that routing sends somewhere. */
export const ROUTED_KINDS: ReadonlySet<string> = new Set([
  'outcome_unknown',
  'approval_pending',
  'approval_expired',
  'run_aborted',
  'recovery_failing',
]);

export const MAX_STEPS = 4;

/** What is wrong with a routing (the checks at load); empty when it can be used. Each is one sentence without the place. */
export function routingFaults(routing: Routing): readonly string[] {
  const faults: string[] = [];
  const check = (name: string) => {
    if (name !== 'default' && !validReceiver(name)) faults.push(`${quoted(name)} is not the name of a receiver`);
  };
  for (const [kind, receiver] of routing.routes) {
    if (!ROUTED_KINDS.has(kind)) faults.push(`${quoted(kind)} is not a kind of event that has a route`);
    check(receiver);
  }
  for (const receiver of routing.approverRoutes.values()) check(receiver);
  for (const [kind, chain] of routing.escalation) {
    if (!THREE_KINDS.has(kind)) faults.push(`${quoted(kind)} is not a kind of event that can have a chain`);
    if (chain.length < 1 || chain.length > MAX_STEPS)
      faults.push(`the chain of ${quoted(kind)} has ${chain.length} steps; a chain has 1 to ${MAX_STEPS}`);
    for (const receiver of chain) check(receiver);
  }
  return faults;
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}

/**
 * The receivers of an event, sorted by bytes.
 *
 * @param approvers who may decide it; undefined for a one-decision gate and for every other kind
 */
export function receivers(routing: Routing, kind: string, approvers: readonly string[] | undefined): readonly string[] {
  // 1.
  const byKind = routing.routes.get(kind) ?? 'default';
  // 2.
  if (kind === 'approval_pending' && approvers !== undefined) {
    const routed = approvers.map((approver) => routing.approverRoutes.get(approver));
    if (routed.some((receiver) => receiver !== undefined))
      return [...new Set(routed.map((receiver) => receiver ?? byKind))].sort(compareUtf8);
  }
  // 3.
  return [byKind];
}

/** Whether the receivers of an approval depend on its approvers. */
export function approverRouted(routing: Routing): boolean {
  return routing.approverRoutes.size > 0;
}

/** Every receiver that the routing names, and the default one. */
export function namedReceivers(routing: Routing): ReadonlySet<string> {
  return new Set([
    'default',
    ...routing.routes.values(),
    ...routing.approverRoutes.values(),
    ...[...routing.escalation.values()].flat(),
  ]);
}
