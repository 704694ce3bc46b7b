/** Questions about ATIF documents and the export of sessions, answered by `src/atif`. */

import { checkAgreement } from '../../src/atif/agreement.ts';
import { violationFinding } from '../../src/atif/catalogue.ts';
import type { AtifDocument } from '../../src/atif/document.ts';
import { toAtif } from '../../src/atif/export.ts';
import { items } from '../../src/atif/items.ts';
import { itemsFrom } from '../../src/atif/itemsFrom.ts';
import { spill } from '../../src/atif/media.ts';
import { documentName } from '../../src/atif/names.ts';
import { type Preference, preferCurrentLeaf, preferLabel, preferScore } from '../../src/atif/preferences.ts';
import { readPrices } from '../../src/atif/prices.ts';
import { readAtif, schemaProblem } from '../../src/atif/read.ts';
import { environment, homePaths, noPassthrough, type Redactor, redact, secrets } from '../../src/atif/redact.ts';
import { firstBroken } from '../../src/atif/rules.ts';
import { at, isTrajectory, trajectories } from '../../src/atif/trajectory.ts';
import type { Cost } from '../../src/atif/usage.ts';
import { documentText } from '../../src/atif/write.ts';
import { base64, unbase64, utf8 } from '../../src/bytes/encoding.ts';
import { memorySource } from '../../src/bytes/source.ts';
import { canonicalOfTree } from '../../src/json/canonical.ts';
import { resolvePointer } from '../../src/json/pointer.ts';
import { type JsonNode, parseTree } from '../../src/json/tree.ts';
import { readSession } from '../../src/session/read.ts';
import type { Session } from '../../src/session/session.ts';
import type { Json, Operation } from '../suite.ts';

type Params = { readonly [name: string]: Json };

const bytesOf = (params: Params, name: string): Uint8Array => {
  const coded = params[`${name}_b64`];
  if (typeof coded === 'string') return unbase64(coded) ?? new Uint8Array();
  const given = params[name];
  return utf8(typeof given === 'string' ? given : JSON.stringify(given));
};

function sessionOf(bytes: Uint8Array): Session {
  const { session } = readSession(memorySource(bytes));
  if (session === undefined) throw new Error('the session does not read');
  return session;
}

/** `latest`, `current`, `score` or `label:NAME`. */
function preferencesOf({ prefer }: Params): readonly Preference[] {
  return ((prefer ?? []) as readonly string[]).flatMap((name): readonly Preference[] => {
    if (name === 'current') return [preferCurrentLeaf];
    if (name === 'score') return [preferScore];
    return name.startsWith('label:') ? [preferLabel(name.slice('label:'.length))] : [];
  });
}

function costOf({ price, prices }: Params): { readonly cost?: Cost } {
  if (prices !== undefined) {
    const read = readPrices(utf8(JSON.stringify(prices)));
    if (!read.ok) throw new Error(read.message);
    return { cost: read.cost };
  }
  if (typeof price === 'number') return { cost: () => price };
  if (price === undefined || price === null) return {};
  const { input, output } = price as { readonly input: number; readonly output: number };
  return { cost: (_, usage) => (usage.input * input) / 1e6 + (usage.output * output) / 1e6 };
}

function redactorsOf({ redact: asked }: Params): readonly Redactor[] {
  return ((asked ?? []) as readonly (readonly string[])[]).map(([name, ...values]) => {
    if (name === 'secrets') return secrets(...values);
    if (name === 'home') return homePaths(values[0] ?? '');
    return name === 'environment' ? environment() : noPassthrough();
  });
}

const plain = (document: AtifDocument): Json => JSON.parse(documentText(document)) as Json;

async function exported(params: Params): Promise<AtifDocument | { readonly problem: string }> {
  const { leaf, subsessions = {}, notes, names = {} } = params;
  const session = sessionOf(bytesOf(params, 'session'));
  const found = at(session, String(leaf), ...preferencesOf(params));
  if (!isTrajectory(found)) return { problem: found.problem };
  const children = subsessions as { readonly [id: string]: string };
  const { agent, version, model } = names as { readonly [name: string]: string };
  const document = await toAtif(found, {
    ...costOf(params),
    redactors: redactorsOf(params),
    preferences: preferencesOf(params),
    subsessions: (id) => (Object.hasOwn(children, id) ? sessionOf(utf8(children[id] as string)) : undefined),
    ...(typeof notes === 'string' ? { notes } : {}),
    ...(agent === undefined ? {} : { agentName: agent }),
    ...(version === undefined ? {} : { agentVersion: version }),
    ...(model === undefined ? {} : { modelName: model }),
  });
  return document;
}

export const operations: Record<string, Operation> = {
  /** The document of the path that ends at `leaf`. */
  'atif/export': async (params) => {
    const document = await exported(params);
    return 'problem' in document ? document : plain(document);
  },
  /** What stands at each pointer of `at` in that document; null where nothing does. */
  'atif/look': async (params) => {
    const document = await exported(params);
    if ('problem' in document) return document;
    const { root } = parseTree(utf8(documentText(document))) as { readonly root: JsonNode };
    return (params['at'] as readonly string[]).map((pointer): Json => {
      const node = resolvePointer(root, pointer);
      return node === undefined ? null : (JSON.parse(canonicalOfTree(node)) as Json);
    });
  },
  /** Every leaf with what the choices at forks say of it. */
  'atif/trajectories': (params) =>
    [...trajectories(sessionOf(bytesOf(params, 'session')), ...preferencesOf(params))].map(
      (found): Json =>
        isTrajectory(found)
          ? {
              leaf: found.leafId,
              main: found.main,
              preferred_over: found.preferredOver,
              abandoned_at: found.abandonedAt,
            }
          : { leaf: found.id, problem: found.problem },
    ),
  /** The verdicts over a document, its first broken rule with its place, and the code of each finding. */
  'atif/check': (params) => {
    const { document, rules, findings } = readAtif(bytesOf(params, 'document'));
    if (document === undefined || rules === undefined) return { read: false, codes: findings.map(({ code }) => code) };
    const broken = firstBroken(rules.violations, 'closed');
    return {
      read: true,
      schema: schemaProblem(document, rules) === undefined,
      parse: firstBroken(rules.violations, 'parse') === undefined,
      validate: firstBroken(rules.violations, 'validate') === undefined,
      closed: broken === undefined,
      rule: broken?.rule ?? null,
      at: broken?.pointer ?? null,
      codes: [...new Set([...findings, ...rules.violations.map(violationFinding)].map(({ code }) => code))].sort(),
    };
  },
  /** The items of a document, and all of them with those that were omitted. */
  'atif/items': (params) => {
    const document = JSON.parse(new TextDecoder().decode(bytesOf(params, 'document'))) as AtifDocument;
    const [sent, all] = [items(document), items(document, { includeOmitted: true })];
    return sent.ok && all.ok ? { items: sent.items, all: all.items } : { problem: sent.ok ? '' : sent.problem };
  },
  'atif/items-from': (params) => itemsFrom(params['document'] as unknown as AtifDocument),
  'atif/name': (params) => documentName(params['document'] as unknown as AtifDocument),
  /** The document with its media as files, and the files. */
  'atif/spill': (params) => {
    const spilled = spill(params['document'] as unknown as AtifDocument);
    if (!spilled.ok) return { problem: spilled.message };
    const files = [...spilled.files].map(([path, bytes]): Json => ({ path, bytes_b64: base64(bytes) }));
    return { document: plain(spilled.document), files };
  },
  'atif/redact': (params) => plain(redact(params['document'] as unknown as AtifDocument, ...redactorsOf(params))),
  /** Where the steps do not say what the raw items say. */
  'atif/agreement': (params) => {
    const { findings, withItems, steps } = checkAgreement(params['document'] as unknown as AtifDocument);
    return {
      with_items: withItems,
      steps,
      findings: findings.map(({ code, where }): Json => ({ code, at: where.pointer ?? '' })),
    };
  },
};
