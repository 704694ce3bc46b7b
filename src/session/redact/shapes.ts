/**
 * Which strings of an entry's body are text, which name something and which are names that are data: the table of session-format 11.5, by
 * the members that section 5 defines. A member in another form or place than defined is data.
 */
import type { JsonNode, JsonObject } from '../../json/tree.ts';
import type { Omit } from '../model.ts';
import { decodeBody } from '../write/decodeBody.ts';
import { memberNamed, objectOf, textMember } from '../write/value.ts';

export type Rule =
  /** A string that names something or is a hash: left. In another form it is data. */
  | { readonly kind: 'left' }
  /** A string that has the form of a hash: left. Anything else is data. */
  | { readonly kind: 'hash' }
  /** Whatever it is, it is left. */
  | { readonly kind: 'untouched' }
  /** Strings at any depth; the payload's member names stay. */
  | { readonly kind: 'text' }
  /** Strings and member names at any depth. */
  | { readonly kind: 'data' }
  /** A payload item: its `call_id`, where the format reads it, is left. */
  | { readonly kind: 'item' }
  /** An object that the format defines; the value of any other member is data, its name stays. */
  | { readonly kind: 'object'; readonly members: ReadonlyMap<string, Rule> }
  | { readonly kind: 'list'; readonly of: Rule }
  /** Member names are data. */
  | { readonly kind: 'map'; readonly of: Rule }
  /** Instruction parts, and the string that is their join: `parts.ts`. */
  | { readonly kind: 'settings' };

const LEFT: Rule = { kind: 'left' };
const HASH: Rule = { kind: 'hash' };
const UNTOUCHED: Rule = { kind: 'untouched' };
const TEXT: Rule = { kind: 'text' };
const DATA: Rule = { kind: 'data' };
const ITEM: Rule = { kind: 'item' };
const list = (of: Rule): Rule => ({ kind: 'list', of });
const object = (members: { readonly [name: string]: Rule }): Rule => ({
  kind: 'object',
  members: new Map(Object.entries(members)),
});

const TRIGGER = object({ kind: TEXT, ref: TEXT, source: TEXT });
const PART = object({ id: TEXT, text: TEXT, source: TEXT, hash: LEFT });
const OMITTED = object({ id: TEXT, reason: TEXT, source: TEXT });
const OMITTED_KEEP = object({ of: LEFT });
const FILES = object({ read: { kind: 'map', of: HASH }, written: { kind: 'map', of: HASH } });

const isString = (value: JsonNode | undefined): boolean => value?.kind === 'string' && value.value !== '';

/** The `omit` of settings as the reader takes it (5.3); undefined where it falls back. */
export function omitOf(settings: JsonObject): Omit | undefined {
  const members = settings.members.filter(({ name }) => name === 'omit');
  if (members.length === 0) return undefined;
  const entry = decodeBody('config', objectOf(members));
  return entry.kind === 'config' ? entry.omit : undefined;
}

/** What the reader does not take of an omit object is data. */
function omitRule(settings: JsonObject): Rule {
  const omit = omitOf(settings);
  if (omit === undefined) return DATA;
  return object({
    reasoning: TEXT,
    items: list(LEFT),
    outputs: omit.outputs === undefined ? DATA : object({ text: TEXT, items: list(LEFT) }),
    images: omit.images === undefined ? DATA : object({ before: LEFT, placeholder: TEXT }),
  });
}

/** Whether an element of an omitted list is a keep with an `of` that the format takes. */
export function isOmittedKeep(element: JsonNode): boolean {
  if (element.kind !== 'object' || (textMember(element, 'id') ?? '') !== '') return false;
  const keep = memberNamed(element, 'keep');
  return keep?.kind === 'number' && /^[1-9][0-9]*$/.test(keep.text);
}

/** The rules of a config's or checkpoint's members; `parts.ts` has the instructions. */
function settingsRules(of: JsonObject, isCheckpoint: boolean): { readonly [name: string]: Rule } {
  return {
    model: TEXT,
    instructions: { kind: 'settings' },
    instructions_parts: list(PART),
    instructions_omitted: { kind: 'list', of: isCheckpoint ? OMITTED : { kind: 'settings' } },
    reasoning: TEXT,
    text: TEXT,
    extra: DATA,
    omit: omitRule(of),
    ...(isCheckpoint ? { tools: list(TEXT) } : { tools_added: list(TEXT), tools_removed: list(TEXT) }),
  };
}

/** The rule of one element of a config's omitted list. */
export function omittedRule(element: JsonNode): Rule {
  return isOmittedKeep(element) ? OMITTED_KEEP : OMITTED;
}

const COMMON = { legacy_id: UNTOUCHED, redacted: UNTOUCHED, normalised: UNTOUCHED };

/** The rules of the members of a body. An extension entry's own members are data, their names included. */
export function rulesOf(type: string, body: JsonObject): Rule {
  const own = typeRules(type, body);
  return own === undefined ? { kind: 'map', of: DATA } : object({ ...own, ...COMMON });
}

function typeRules(type: string, body: JsonObject): { readonly [name: string]: Rule } | undefined {
  const of = (name: string): JsonNode | undefined => memberNamed(body, name);
  switch (type) {
    case 'item':
      return {
        item: ITEM,
        response: TEXT,
        source: TRIGGER,
        queued_from: LEFT,
        from_link: isString(of('from_link')) ? LEFT : DATA,
      };
    case 'response':
      return {
        response_id: TEXT,
        model: TEXT,
        status: TEXT,
        usage: TEXT,
        incomplete: TEXT,
        error: TEXT,
        request_hash: LEFT,
      };
    case 'config':
      return settingsRules(body, false);
    case 'compaction': {
      const config = of('config');
      return {
        first_kept: LEFT,
        summary: ITEM,
        pinned: list(ITEM),
        usage: TEXT,
        config: config?.kind === 'object' ? object(settingsRules(config, true)) : DATA,
      };
    }
    case 'branch_summary':
      return { from: LEFT, summary: ITEM, usage: TEXT };
    case 'run': {
      const isEnd = textMember(body, 'phase') === 'end';
      return {
        run_id: TEXT,
        phase: TEXT,
        source: TEXT,
        reason: TEXT,
        ref: TEXT,
        trigger: isEnd ? DATA : TRIGGER,
        pending: isEnd ? list(LEFT) : DATA,
      };
    }
    case 'dispatch':
      return { call_id: LEFT, target: LEFT, idempotency_key: TEXT };
    case 'decision':
      return { call_id: LEFT, target: LEFT, verdict: TEXT, by: TEXT, reason: TEXT, args: DATA };
    case 'queued':
      return { item: ITEM, mode: TEXT, trigger: TRIGGER, ref: TEXT };
    case 'info':
      return { name: TEXT };
    case 'label':
      return { target: LEFT, label: TEXT };
    case 'env':
      return {
        cwd: TEXT,
        vcs: object({ system: TEXT, revision: TEXT }),
        files: FILES,
        tools: { kind: 'map', of: TEXT },
        workspace: object({ kind: TEXT, ref: TEXT, host: TEXT, instance: TEXT }),
      };
    case 'outcome':
      return { kind: TEXT, target: LEFT, label: TEXT, details: DATA };
    case 'link':
      return linkRules(body);
    case 'custom':
      return { ns: TEXT, data: DATA, call_id: isString(of('call_id')) ? LEFT : DATA };
    default:
      return undefined;
  }
}

/** Members that a link defines on its relation alone (5.14). */
function linkRules(body: JsonObject): { readonly [name: string]: Rule } {
  const rel = textMember(body, 'rel') ?? '';
  const isCallee = rel === 'subsession' || rel === 'peer';
  const isCancel = isCallee && textMember(body, 'cancel') === 'sent' && isString(memberNamed(body, 'target'));
  return {
    rel: TEXT,
    session: LEFT,
    call_id: isCallee ? LEFT : TEXT,
    target: isCancel || (rel === 'judged_by' && isString(memberNamed(body, 'target'))) ? LEFT : DATA,
    url: TEXT,
    task: TEXT,
    context: TEXT,
    cancel: TEXT,
  };
}

/** The references of `parents`: members beside those of 4.5 are data. */
export const PARENTS_RULE: Rule = list(object({ entry: LEFT, session: LEFT }));

/** The header's members that the function is not given (11.6). */
export const HEADER_UNTOUCHED = [
  'type',
  'format',
  'id',
  'created_at',
  'payload',
  'records',
  'media',
  'redacted',
  'redacted_from',
  'base',
  'parent_session',
  'spawned_by',
] as const;

/** The header's members (11.6): the value of any other is data. */
export const HEADER_RULE: Rule = object({
  ...Object.fromEntries(HEADER_UNTOUCHED.map((name) => [name, UNTOUCHED])),
  cwd: TEXT,
  harness: object({ name: TEXT, version: TEXT }),
});
