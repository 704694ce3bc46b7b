/** Digests that records hold: of the prompt and tools of a turn (journal 5.1), of a session's transcript (journal 5.5), the linear head. */
import { compareUtf8, concat, hex, utf8 } from '../bytes/encoding.ts';
import { createSha256, sha256 } from '../crypto/sha256.ts';

/** F(s): the length in bytes as a decimal, a colon, the bytes. */
function field(bytes: Uint8Array): Uint8Array {
  return concat(utf8(`${bytes.length}:`), bytes);
}

/** `prompt_digest` of the system messages sent, in order; empty when none was sent. */
export function promptDigest(systemMessages: readonly string[]): string {
  if (systemMessages.length === 0) return '';
  return hex(sha256(concat(utf8('bide.prompt.v1\n'), ...systemMessages.map((message) => field(utf8(message))))));
}

export interface ToolDeclaration {
  readonly name: string;
  readonly description: string;
  /** The input schema's bytes as declared. */
  readonly schema: Uint8Array;
}

/** `tools_digest` of the tools offered, whatever their order; empty for none. */
export function toolsDigest(tools: readonly ToolDeclaration[]): string {
  if (tools.length === 0) return '';
  const sorted = [...tools].sort((a, b) => compareUtf8(a.name, b.name));
  const fields = sorted.flatMap(({ name, description, schema }) => [
    field(utf8(name)),
    field(utf8(description)),
    field(schema),
  ]);
  return hex(sha256(concat(utf8('bide.tools.v1\n'), ...fields)));
}

/** D(i+1) of a session's transcript from D(i) and the run and claim of turn i. D(0) is empty. */
export function transcriptDigest(before: string, run: string, claim: string): string {
  return hex(sha256(concat(field(utf8(before)), field(utf8(run)), field(utf8(claim)))));
}

/** The linear commitment over a whole journal: h(0) = H("bide.audit.v2"), h(i+1) = H(h(i) ‖ stored bytes) (audit spec 1.7). */
export function linearHead(records: Iterable<Uint8Array>): Uint8Array {
  let head = sha256(utf8('bide.audit.v2'));
  for (const record of records) head = createSha256().update(head).update(record).digest();
  return head;
}
