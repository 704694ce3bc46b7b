/** The kind, label and ref of an action, derived from its record, so that a label cannot lie (audit spec 4.11, the table of kinds). */
import { RUN_PRINCIPAL } from '../journal/names.ts';
import type { ReadableRecord } from '../journal/record.ts';
import { grantDigest, grantOfRecord } from './grants.ts';
import { member, openObject, textOf } from './payload.ts';

export interface ActionRole {
  readonly kind: string;
  readonly label: string;
  /** Empty where an action has none. */
  readonly ref: string;
}

const TALLY_PREFIX = 'approval-tally:';
const DEADLINE_PREFIX = 'approval-deadline:';
const REQUEST_PREFIX = 'approval-request:';
const IDENTITY_FORMAT = 'bide.approval-identity.v2';

/**
 * The roles that a record can be disclosed in, the one that a writer uses first. A record of no role cannot be an action.
 */
export function actionRoles(stored: ReadableRecord): readonly ActionRole[] {
  const { name, record } = stored;
  const named = (kind: string, label: string): ActionRole => ({ kind, label, ref: name });
  switch (record.kind) {
    case 'tool_result':
      return [{ kind: 'tool', label: record.toolUseId, ref: record.toolUseId }];
    case 'model':
      return (record.message?.parts ?? []).flatMap((part) =>
        part.type === 'tool_use' ? [{ kind: 'call', label: part.name, ref: part.id }] : [],
      );
    case 'approval':
      return record.approver === '' ? [] : [named('approval', record.approver)];
    case 'value':
      return valueRoles(stored, named('step', name), named);
    default:
      return [];
  }
}

function valueRoles(
  stored: ReadableRecord,
  step: ActionRole,
  named: (kind: string, label: string) => ActionRole,
): readonly ActionRole[] {
  const { name, record } = stored;
  if (name.startsWith(TALLY_PREFIX)) return [named('approval-tally', 'approval tally')];
  if (name === RUN_PRINCIPAL) return [step, named('principal', 'run principal')];
  if (name.startsWith(DEADLINE_PREFIX)) return [step, named('deadline', 'approval deadline')];
  if (name.startsWith('audit:grant:')) {
    const held = grantOfRecord(stored);
    if ('grant' in held) {
      const { grant } = held.grant;
      return [{ kind: 'grant', label: `grant ${grant.issuer} -> ${grant.subject}`, ref: grantDigest(grant) }];
    }
  }
  const result = openObject(record.result);
  if (textOf(member(result, 'format')) === IDENTITY_FORMAT) return [step, named('identity', 'approval identity')];
  const node = textOf(member(result, 'tool_use_id'));
  const tool = textOf(member(result, 'tool_name'));
  if (node !== undefined && tool !== undefined && member(result, 'args') !== undefined) {
    // The spelling of a flow gate's request is inferred, so one found by its content alone may be an ordinary step too (journal 3.6).
    const call: ActionRole = { kind: 'call', label: tool, ref: node };
    return name.startsWith(REQUEST_PREFIX) ? [call] : [step, call];
  }
  return [step];
}

/** The role of a record that an action states; undefined where its record has no such role. */
export function statedRole(action: ActionRole, stored: ReadableRecord): ActionRole | undefined {
  return actionRoles(stored).find(
    (role) => role.kind === action.kind && role.label === action.label && role.ref === action.ref,
  );
}
