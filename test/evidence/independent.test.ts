/** A package that is made here, checked by a program that shares nothing with it: Python's standard library and OpenSSL. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { base64, decodeUtf8, utf8 } from '../../src/bytes/encoding.ts';
import { sha256 } from '../../src/crypto/sha256.ts';
import { treeOfJournal } from '../../src/evidence/journalTree.ts';
import { producePackage } from '../../src/evidence/packageProducer.ts';
import { packageShape } from '../../src/evidence/shapes.ts';
import { readEntries } from '../../src/journal/export.ts';
import { encode } from '../../src/json/shape.ts';
import { signHead } from '../../src/log/head.ts';
import { logKey } from './fixtures.ts';

const PYTHON = `
import base64, hashlib, json, os, struct, subprocess, sys, tempfile
b64 = base64.b64decode
def field(x): return struct.pack('>Q', len(x)) + x
def signed(head):
    out = b'bide.audit.sth.v5\\0' + field(head['alg'].encode()) + field(head['kind'].encode()) + field(head['run_id'].encode())
    out += struct.pack('>Q', head['size']) + field(b64(head['root'])) + struct.pack('>q', head['timestamp_nanos'])
    j = head.get('journal')
    return out + (b'\\0' if j is None else b'\\1' + struct.pack('>Q', j['size']) + field(b64(j['root'])))
def ed25519(key, message, signature):
    with tempfile.TemporaryDirectory() as d:
        path = lambda n: os.path.join(d, n)
        open(path('k'), 'wb').write(bytes.fromhex('302a300506032b6570032100') + key)
        open(path('m'), 'wb').write(message); open(path('s'), 'wb').write(signature)
        return subprocess.run(['openssl', 'pkeyutl', '-verify', '-rawin', '-pubin', '-keyform', 'DER', '-inkey', path('k'), '-in', path('m'), '-sigfile', path('s')], capture_output=True).returncode == 0
def node(l, r): return hashlib.sha256(b'\\1' + l + r).digest()
def root(leaf, index, size, path):
    # RFC 6962 read from the top: which side the leaf is on at each split.
    def walk(index, size, path):
        if size == 1: return leaf if not path else None
        if not path: return None
        k = 1
        while k * 2 < size: k *= 2
        below = walk(index if index < k else index - k, k if index < k else size - k, path[:-1])
        if below is None: return None
        return node(below, path[-1]) if index < k else node(path[-1], below)
    return walk(index, size, path)
def go(value):
    text = json.dumps(value, separators=(',', ':'), ensure_ascii=False)
    for a, b in (('<', '\\\\u003c'), ('>', '\\\\u003e'), ('&', '\\\\u0026'), ('\\u2028', '\\\\u2028'), ('\\u2029', '\\\\u2029')): text = text.replace(a, b)
    return text.encode()
p = json.load(open(sys.argv[1], encoding='utf-8'))
key = bytes.fromhex(sys.argv[2])
assert b64(p['public_key']) == key
assert ed25519(key, signed(p['sth']), b64(p['sth']['signature'])), 'head'
assert ed25519(key, b'bide.audit.evidence.v5.seal\\0' + go({**p, 'signature': None}), b64(p['signature'])), 'seal'
for action in p['actions']:
    bundle = action['bundle']; i = bundle['inclusion']
    leaf = hashlib.sha256(b'\\0bide.audit.journal-leaf.v1\\0' + b64(bundle['record_bytes'])).digest()
    assert root(leaf, i['index'], i['size'], [b64(h) for h in i['path'] or []]) == b64(p['sth']['root']), 'inclusion'
    record = json.loads(b64(bundle['record_bytes']))
    assert (action['label'], action['ref']) == (record['tool_use_id'], record['tool_use_id']), 'label'
print(len(p['actions']))
`;

const has = (program: string) => spawnSync(program, ['version']).error === undefined;

describe.skipIf(!has('python3') || !has('openssl'))('a package made here', () => {
  it('is accepted by Python and OpenSSL, and refused by them after a change', async () => {
    const key = await logKey();
    const ids = ['c1', 'c<2>&', 'c\u2028"3', 'c\u{1f600}', 'c\u0001'];
    const records = [
      '{"name":"@journal","kind":"header","format":"bide.journal.v1-dev"}',
      ...ids.map(
        (id, i) =>
          `{"name":"tool:${i}","kind":"tool_result","tool_use_id":${JSON.stringify(id).replaceAll('\u2028', '\\u2028')},"result":{"n":${i}.50}}`,
      ),
    ].map((record, i) => ({ data: utf8(record.replace(/}$/, `,"salt":"${base64(sha256(utf8(`i ${i}`)))}"}`)) }));
    const { journal, findings } = readEntries('parent>call & <sub>', records);
    if (journal === undefined) throw new Error(JSON.stringify(findings));
    const of = treeOfJournal(journal);
    const head = signHead(
      {
        kind: 'journal',
        run_id: journal.run,
        size: of.tree.size,
        root: of.tree.root(),
        timestamp_nanos: 1_767_225_607_123_456_789n,
      },
      key,
    );
    const made = producePackage(of, head, key, { label: 'a <b> & \u2028 \t "c"' });
    if (!made.ok) throw new Error(JSON.stringify(made.findings));
    const text = decodeUtf8(encode(packageShape, made.value)) as string;
    const folder = mkdtempSync(join(tmpdir(), 'independent-'));
    const run = (content: string) => {
      writeFileSync(join(folder, 'package.json'), content);
      return execFileSync(
        'python3',
        ['-c', PYTHON, join(folder, 'package.json'), Buffer.from(key.publicKey.bytes).toString('hex')],
        { encoding: 'utf8', stdio: 'pipe' },
      );
    };
    try {
      expect(run(text).trim()).toBe(String(ids.length));
      expect(() => run(text.replace('"label":"a ', '"label":"b '))).toThrow(/seal/);
      expect(() =>
        run(text.replace('"timestamp_nanos":1767225607123456789', '"timestamp_nanos":1767225607123456788')),
      ).toThrow(/head/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
