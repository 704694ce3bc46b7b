/** Questions about heads, notes, checkpoints, policies and proof files, answered by `src/log`. */
import { base64, decodeUtf8, hex, unbase64, unhex, utf8 } from '../../src/bytes/encoding.ts';
import { importPrivateKey, isScheme, isUnusable, parsePublicKey } from '../../src/crypto/keys.ts';
import { encode } from '../../src/json/shape.ts';
import { anchorEntryFindings, anchorEntryShape, anchorLeafData, anchorReceiptVerifier } from '../../src/log/anchor.ts';
import { parseCheckpoint } from '../../src/log/checkpoint.ts';
import { checkConsistency, consistencyFileShape } from '../../src/log/consistency.ts';
import { cosignatureMessage } from '../../src/log/cosignature.ts';
import { checkEquivocation, equivocationShape } from '../../src/log/equivocation.ts';
import { evaluateCheckpoint } from '../../src/log/evaluate.ts';
import { faultFinding } from '../../src/log/fault.ts';
import {
  type HeadContent,
  headFindings,
  headHash,
  headShape,
  headShapeFault,
  headTimeFindings,
  signedBytes,
  signHead,
  type TreeHead,
} from '../../src/log/head.ts';
import { compareHeads } from '../../src/log/heads.ts';
import { authenticateHead, type RingEntry, ringOf } from '../../src/log/keyRing.ts';
import { parseNote, verifyNote } from '../../src/log/note.ts';
import { type NoteKey, parseVerifierKey } from '../../src/log/noteKey.ts';
import { isSatisfied, type Policy, parsePolicy, shown } from '../../src/log/policy.ts';
import { readStrictly } from '../../src/log/read.ts';
import {
  bindSession,
  headerIdent,
  type SessionContent,
  sessionHeadFindings,
  sessionHeadShape,
} from '../../src/log/sessionHead.ts';
import { evaluateTlogProof } from '../../src/log/tlogProof.ts';
import { leafHash } from '../../src/merkle/hash.ts';
import type { Json, Operation } from '../suite.ts';

type Params = Parameters<Operation>[0];

const text = (params: Params, name: string): string => String(params[name] ?? '');
const bytes = (params: Params, name: string): Uint8Array => unbase64(text(params, name)) ?? new Uint8Array();

async function keysOf(value: Json | undefined): Promise<readonly NoteKey[]> {
  const keys: NoteKey[] = [];
  for (const vkey of (value ?? []) as readonly string[]) {
    const parsed = await parseVerifierKey(vkey);
    if (!parsed.ok) throw new Error(parsed.fault.message);
    keys.push(parsed.value);
  }
  return keys;
}

async function policyOf(value: Uint8Array): Promise<Policy> {
  const parsed = await parsePolicy(value);
  if (!parsed.ok) throw new Error(parsed.fault.message);
  return parsed.value;
}

const asOf = (params: Params): { readonly asOf?: bigint } =>
  typeof params['as_of'] === 'number' ? { asOf: BigInt(params['as_of']) } : {};

const codes = (findings: readonly { readonly code: string }[]): Json => findings.map((finding) => finding.code);

function headOf(params: Params): TreeHead {
  const read = readStrictly(headShape, utf8(text(params, 'head')));
  if (!read.ok) throw new Error(read.findings[0]?.message);
  return read.value;
}

export const operations: Record<string, Operation> = {
  /** Canonical bytes, hash and JSON of a head, and the findings of its verification. */
  'log/head': async (params) => {
    const head = headOf(params);
    const key = await parsePublicKey(text(params, 'key'));
    if (isUnusable(key)) throw new Error(key.unusable);
    return {
      findings: codes(headFindings(head, key)),
      canonical: hex(signedBytes(head)),
      hash: hex(headHash(head)),
      json: decodeUtf8(encode(headShape, head)) as string,
    };
  },
  /** Codes of the findings of a head given as text, its reading included. */
  'log/verify-head': async (params) => {
    const key = await parsePublicKey(text(params, 'key'));
    if (isUnusable(key)) throw new Error(key.unusable);
    const read = readStrictly(headShape, utf8(text(params, 'head')));
    return codes(read.ok ? headFindings(read.value, key) : read.findings);
  },
  'log/head-time': (params) =>
    codes(headTimeFindings(headOf(params), BigInt(text(params, 'now')), BigInt(text(params, 'skew')))),
  'log/well-formed': (params) => {
    const reference = params['journal'] as { readonly size?: number } | undefined;
    return (
      headShapeFault({
        format: '',
        kind: text(params, 'kind'),
        run_id: 'r',
        size: Number(params['size'] ?? 0),
        root: null,
        timestamp_nanos: 1n,
        journal: reference === undefined ? null : { size: reference.size ?? 0, root: null },
        alg: '',
        signature: null,
      }) === undefined
    );
  },
  /** The JSON of a head signed with a private key. */
  'log/sign-head': async (params) => {
    const scheme = text(params, 'scheme');
    const key = isScheme(scheme) ? await importPrivateKey(scheme, bytes(params, 'private_b64')) : { unusable: scheme };
    if (isUnusable(key)) throw new Error(key.unusable);
    const journal = params['journal'] as { readonly size: number; readonly root_b64: string } | undefined;
    const content: HeadContent = {
      kind: text(params, 'kind'),
      run_id: text(params, 'run_id'),
      size: Number(params['size']),
      root: bytes(params, 'root_b64'),
      timestamp_nanos: BigInt(text(params, 'timestamp_nanos')),
      ...(journal === undefined
        ? {}
        : { journal: { size: journal.size, root: unbase64(journal.root_b64) ?? new Uint8Array() } }),
    };
    return decodeUtf8(encode(headShape, signHead(content, key))) as string;
  },
  /** A head under keys that follow one another; ends inclusive, in nanoseconds. */
  'log/authenticate-head': async (params) => {
    const ring: RingEntry[] = [];
    for (const { name, key, from, to } of params['keys'] as readonly { readonly [name: string]: string }[]) {
      const parsed = await parsePublicKey(key ?? '');
      if (isUnusable(parsed)) throw new Error(parsed.unusable);
      const start = from === undefined ? {} : { from: BigInt(from) };
      ring.push({ name: name ?? '', key: parsed, ...start, ...(to === undefined ? {} : { to: BigInt(to) }) });
    }
    const authentication = authenticateHead(headOf(params), ring);
    return authentication.ok ? { by: authentication.by.name } : { findings: codes(authentication.findings) };
  },
  'log/compare-heads': (params) => {
    const heads = (params['heads'] as readonly string[]).map((head, i) => ({
      name: `head ${i}`,
      head: headOf({ head }),
    }));
    const proofs = (
      params['proofs'] as readonly { readonly first: number; readonly size: number; readonly path: readonly string[] }[]
    ).map(({ first, size, path }) => ({ first, size, path: path.map((hash) => unhex(hash) ?? null) }));
    return codes(compareHeads(heads, { proofs, tolerance: BigInt(text(params, 'tolerance')) }).findings);
  },
  /** A session, given by its header and the ids of its entries, under a session head and the key of its log. */
  'log/bind-session': async (params) => {
    const key = await parsePublicKey(text(params, 'key'));
    if (isUnusable(key)) throw new Error(key.unusable);
    const read = readStrictly(sessionHeadShape, utf8(text(params, 'head')));
    if (!read.ok) return { findings: codes(read.findings) };
    const ids = params['ids'] as readonly string[];
    const content: SessionContent = {
      session: text(params, 'session'),
      ident: unhex(text(params, 'ident')) ?? new Uint8Array(),
      declared: text(params, 'declared'),
      entries: ids.length,
      id: (entry) => ids[entry] as string,
    };
    const unsigned = sessionHeadFindings(read.value, key);
    const { findings, unattested } = bindSession(content, read.value);
    return { findings: codes(unsigned.length > 0 ? unsigned : findings), unattested };
  },
  'log/header-ident': (params) => {
    const ident = headerIdent(utf8(text(params, 'header')));
    return ident === undefined ? null : hex(ident);
  },
  'log/verify-equivocation': async (params) => {
    const key = await parsePublicKey(text(params, 'key'));
    if (isUnusable(key)) throw new Error(key.unusable);
    const read = readStrictly(equivocationShape, utf8(text(params, 'file')));
    if (!read.ok) return { findings: codes(read.findings) };
    const { findings, signed, contradictory } = checkEquivocation(read.value, ringOf(key));
    return { findings: codes(findings), signed: signed ?? null, contradictory };
  },
  'log/verify-consistency': async (params) => {
    const key = await parsePublicKey(text(params, 'key'));
    if (isUnusable(key)) throw new Error(key.unusable);
    const read = readStrictly(consistencyFileShape, utf8(text(params, 'file')));
    if (!read.ok) return { findings: codes(read.findings) };
    const { findings, signed, consistency } = checkConsistency(read.value, ringOf(key));
    return { findings: codes(findings), signed: signed ?? null, consistency };
  },
  'log/anchor-leaf-hash': (params) => {
    const read = readStrictly(anchorEntryShape, utf8(text(params, 'entry')));
    return read.ok ? hex(leafHash(anchorLeafData(read.value))) : codes(read.findings);
  },
  'log/verify-anchor-entry': (params) => {
    const read = readStrictly(anchorEntryShape, utf8(text(params, 'entry')));
    if (!read.ok) return codes(read.findings);
    const path = (params['path_b64'] as readonly string[]).map((hash) => unbase64(hash) ?? null);
    return codes(
      anchorEntryFindings(
        read.value,
        { index: Number(params['index']), size: Number(params['size']), path },
        bytes(params, 'root_b64'),
      ),
    );
  },
  'log/verifier-key': async (params) => {
    const parsed = await parseVerifierKey(text(params, 'vkey'));
    if (!parsed.ok) return { gives: parsed.fault.reason };
    const { name, id, type, bytes: key, verify } = parsed.value;
    return { gives: verify === undefined ? 'unsupported' : 'ok', name, id, type, key: hex(key) };
  },
  'log/verify-note': async (params) => {
    const verified = verifyNote(bytes(params, 'note_b64'), await keysOf(params['vkeys']));
    if (!verified.ok) return { gives: verified.fault.reason };
    const { note, by, unknown } = verified.value;
    return {
      gives: 'ok',
      text: decodeUtf8(note.text) as string,
      by: by.map(({ key }) => `${key.name}+${key.id}`),
      times: by.flatMap(({ key, time }) => (time === undefined ? [] : [[key.name, String(time)]])),
      unknown: unknown.length,
    };
  },
  /** The finding that a note gives under keys, or none. */
  'log/note-codes': async (params) => {
    const verified = verifyNote(bytes(params, 'note_b64'), await keysOf(params['vkeys']));
    return verified.ok ? [] : [faultFinding(verified.fault).code];
  },
  /** What a receipt says of the head with this hash under trusted roots: the time that it proves, or what is found. */
  'log/verify-receipt': (params) => {
    const roots = (params['roots'] as readonly { readonly [name: string]: Json }[]).map((root) => ({
      name: String(root['name']),
      size: Number(root['size']),
      root: unbase64(String(root['root_b64'])) ?? new Uint8Array(),
      published: BigInt(String(root['published'])),
      accuracy: BigInt(String(root['accuracy'])),
    }));
    const hash = unhex(text(params, 'head_hash_hex')) ?? new Uint8Array();
    const result = anchorReceiptVerifier(roots)(utf8(text(params, 'receipt')), hash);
    return result.ok
      ? { time: String(result.time), accuracy: String(result.accuracy) }
      : result.findings.map(({ code }) => code);
  },
  'log/checkpoint': (params) => {
    const parsed = parseCheckpoint(utf8(text(params, 'text')));
    if (!parsed.ok) return { gives: parsed.fault.reason };
    const { origin, size, root, extensions } = parsed.value;
    return { gives: 'ok', origin, size: String(size), root: hex(root), extensions };
  },
  'log/cosigned-message': (params) => {
    const note = parseNote(bytes(params, 'note_b64'));
    const checkpoint = note.ok ? parseCheckpoint(note.value.text) : note;
    if (!note.ok || !checkpoint.ok) return null;
    const message = cosignatureMessage(
      Number(params['type']),
      text(params, 'name'),
      BigInt(text(params, 'time')),
      note.value.text,
      checkpoint.value,
    );
    return message === undefined ? null : hex(message);
  },
  'log/policy': async (params) => {
    const parsed = await parsePolicy(bytes(params, 'policy_b64'));
    if (!parsed.ok) return { gives: parsed.fault.reason };
    const policy = parsed.value;
    const sets = (params['sets'] ?? []) as readonly (readonly string[])[];
    return {
      gives: 'ok',
      logs: policy.logs.length,
      witnesses: policy.witnesses.size,
      groups: policy.groups.size,
      quorum: shown(policy.quorum),
      satisfied: sets.map((cosigned) => isSatisfied(policy, new Set(cosigned))),
    };
  },
  'log/evaluate': async (params) => {
    const policy = await policyOf(bytes(params, 'policy_b64'));
    const { faults, cosigners } = evaluateCheckpoint(bytes(params, 'note_b64'), policy, asOf(params));
    return { gives: faults[0]?.reason ?? 'ok', cosigned: cosigners.map(({ name }) => name) };
  },
  'log/tlog-proof': async (params) => {
    const policy = await policyOf(bytes(params, 'policy_b64'));
    const leaf = leafHash(bytes(params, 'leaf_b64'));
    const { faults, proof, cosigners } = evaluateTlogProof(bytes(params, 'proof_b64'), leaf, policy, asOf(params));
    return {
      gives: faults[0]?.reason ?? 'ok',
      index: proof === undefined ? null : String(proof.index),
      hashes: proof?.path.length ?? null,
      extra_b64: proof?.extra === undefined ? null : base64(proof.extra),
      cosigned: cosigners.map(({ name }) => name),
    };
  },
};
