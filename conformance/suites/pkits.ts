/** NIST PKITS through path building, path validation and revocation: every test gives its expected outcome, and its class of failure. */
import { base64, unhex } from '../../src/bytes/encoding.ts';
import type { Case, Folder, Json, Suite } from '../suite.ts';

interface PkitsTest {
  readonly id: string;
  readonly name: string;
  readonly cert: string;
  readonly other_certs?: readonly string[];
  readonly crls?: readonly string[];
  readonly path_len: number;
  readonly error?: { readonly class: string };
  readonly params?: {
    readonly user_initial_policy_set?: readonly string[];
    readonly initial_explicit_policy?: boolean;
    readonly initial_policy_mapping_inhibit?: boolean;
    readonly initial_any_policy_inhibit?: boolean;
  };
}

interface NoticeTest extends PkitsTest {
  readonly notice: string;
}

/** Tests whose keys are DSA, which no part of this product accepts. */
const DSA = new Set(['40104', '40105', '40106']);
/** Within the validity of the test certificates. */
const AT = '2022-06-01T00:00:00Z';

type Answer = {
  readonly unread?: string;
  readonly path?: boolean;
  readonly length?: number;
  readonly notices?: readonly string[];
  readonly status?: readonly string[];
  readonly findings?: readonly string[];
};

function question(folder: Folder, test: PkitsTest): Case['params'] {
  const certificate = (name: string): string => base64(folder.bytes(`certs/${name}`));
  const crl = (name: string): string => base64(folder.bytes(`crls/${name}`));
  const { params } = test;
  return {
    certificate_b64: certificate(test.cert),
    pool_b64: (test.other_certs ?? []).map(certificate),
    anchors_b64: [certificate('TrustAnchorRootCertificate.crt')],
    crls_b64: ['TrustAnchorRootCRL.crl', ...(test.crls ?? [])].map(crl),
    revocation: true,
    at: AT,
    ...(params?.user_initial_policy_set === undefined ? {} : { policies: params.user_initial_policy_set }),
    explicit_policy: params?.initial_explicit_policy === true,
    inhibit_mapping: params?.initial_policy_mapping_inhibit === true,
    inhibit_any_policy: params?.initial_any_policy_inhibit === true,
  };
}

/** The class of failure that the answer shows, in the words of the file. */
function outcome(answer: Answer): string {
  if (answer.path !== true) return 'PathValidationError';
  const status = new Set(answer.status);
  if (status.has('revoked') || status.has('on-hold')) return 'RevokedError';
  if (status.has('stale')) return 'StaleRevinfoError';
  return status.has('unknown') ? 'InsufficientRevinfoError' : 'valid';
}

/** Where our class of failure is another than the file's although both refuse. */
const OTHER_CLASS: ReadonlyMap<string, string> = new Map([
  // The complete list has expired and the delta does not belong to it: there was a list, so "stale" says more than "none".
  ['41510', 'StaleRevinfoError'],
]);

function expectation(test: PkitsTest): Case['expect'] {
  return (given) => {
    const answer = given as Answer;
    const wanted = test.error === undefined ? 'valid' : (OTHER_CLASS.get(test.id) ?? test.error.class);
    const got = answer.unread === undefined ? outcome(answer) : `unread ${answer.unread}`;
    if (got !== wanted) return `expected ${wanted}, got ${got} (${(answer.findings ?? []).join(', ')})`;
    // The file counts the anchor.
    if (wanted === 'valid' && answer.length !== test.path_len - 1)
      return `expected a path of ${test.path_len}, got ${(answer.length ?? 0) + 1}`;
    return undefined;
  };
}

const pkits: Suite = {
  name: 'pkits/tests',
  folder: 'pkits',
  *cases(folder) {
    for (const test of folder.json('pkits.json') as readonly PkitsTest[])
      yield {
        name: `${test.id} ${test.name}`,
        op: 'pki/path',
        params: question(folder, test),
        expect: expectation(test),
        ...(DSA.has(test.id) ? { skip: 'needs DSA keys, which are not accepted' } : {}),
      };
  },
};

const notices: Suite = {
  name: 'pkits/user-notices',
  folder: 'pkits',
  *cases(folder) {
    for (const test of folder.json('pkits-user-notice.json') as readonly NoticeTest[])
      yield {
        name: `${test.id} ${test.name}`,
        op: 'pki/path',
        params: question(folder, test),
        expect: (given) => {
          const shown = (given as Answer).notices ?? [];
          return shown.includes(test.notice)
            ? undefined
            : `expected the notice ${test.notice}, got ${JSON.stringify(shown)}`;
        },
      };
  },
};

interface Rfc3161 {
  readonly requests: readonly {
    readonly id: string;
    readonly der: string;
    readonly nonce: string | null;
    readonly certReq: boolean;
    readonly policy?: string;
  }[];
  readonly badRequests: readonly { readonly id: string; readonly der: string }[];
  readonly literal: {
    readonly files: readonly { readonly path: string; readonly base64: string }[];
    readonly chainPem: string | readonly string[];
    readonly pairs: readonly {
      readonly request: string;
      readonly response: string;
      readonly gives: string;
      readonly genTime?: string;
      readonly accuracySeconds?: number;
      readonly nonce?: string;
      readonly policy?: string;
      readonly imprintAlgorithm?: string;
    }[];
  };
}

const fromHex = (text: string): string => base64(unhex(text) ?? new Uint8Array());

/** Certificates of PEM text as base64 of their DER. */
function pemCertificates(pem: string | readonly string[]): readonly string[] {
  const text = typeof pem === 'string' ? pem : pem.join('\n');
  return [...text.matchAll(/-----BEGIN CERTIFICATE-----([^-]*)-----END/g)].map((match) =>
    (match[1] as string).replace(/\s/g, ''),
  );
}

/** What the outcomes of the literal pairs are called here. */
const GIVES: ReadonlyMap<string, string> = new Map([
  ['nonce', 'pki/token-nonce'],
  ['no path to the given chain', 'pki/no-path'],
]);

const tokens: Suite = {
  name: 'interop/rfc3161',
  folder: 'interop',
  *cases(folder) {
    const data = folder.json('rfc3161.json') as Rfc3161;
    for (const { id, der, nonce, certReq, policy } of data.requests) {
      const absent = id === 'parameters-absent';
      yield {
        name: `request ${id}`,
        op: 'pki/request',
        params: { request_b64: fromHex(der) },
        expect: (given) => {
          const answer = given as { readonly [name: string]: Json };
          const wanted = { nonce, cert_req: certReq, policy: policy ?? null, ...(absent ? {} : { written: der }) };
          for (const [name, value] of Object.entries(wanted))
            if (answer[name] !== value) return `${name}: expected ${value}, got ${JSON.stringify(answer[name])}`;
          return undefined;
        },
      };
    }
    for (const { id, der } of data.badRequests)
      yield {
        name: `bad request ${id}`,
        op: 'pki/request',
        params: { request_b64: fromHex(der) },
        expect: (given) => ((given as Answer).unread === undefined ? 'the request was read' : undefined),
      };
    const file = (name: string): string =>
      data.literal.files.find(({ path }) => path.endsWith(`/${name}`))?.base64 ?? '';
    const chain = pemCertificates(data.literal.chainPem);
    for (const pair of data.literal.pairs)
      yield {
        name: `${pair.request} ${pair.response}`,
        op: 'pki/timestamp',
        params: {
          token_b64: file(pair.response),
          request_b64: file(pair.request),
          anchors_b64: chain.slice(-1),
          pool_b64: chain,
        },
        expect: (given) => {
          const answer = given as {
            readonly verified?: boolean;
            readonly findings?: readonly string[];
            readonly [name: string]: unknown;
          };
          if (pair.gives !== 'ok') {
            const code = GIVES.get(pair.gives) ?? pair.gives;
            return answer.verified === false && answer.findings?.includes(code)
              ? undefined
              : `expected ${code}, got ${JSON.stringify(answer)}`;
          }
          if (answer.verified !== true) return `expected a valid token, got ${JSON.stringify(answer.findings)}`;
          if (pair.genTime !== undefined && answer['gen_time'] !== pair.genTime)
            return `genTime ${String(answer['gen_time'])}`;
          if (pair.nonce !== undefined && answer['nonce'] !== pair.nonce) return `nonce ${String(answer['nonce'])}`;
          if (pair.policy !== undefined && answer['policy'] !== pair.policy)
            return `policy ${String(answer['policy'])}`;
          if (pair.accuracySeconds !== undefined && answer['accuracy_nanos'] !== `${pair.accuracySeconds}000000000`)
            return 'accuracy';
          return pair.imprintAlgorithm === undefined || answer['imprint_hash'] === pair.imprintAlgorithm
            ? undefined
            : 'imprint algorithm';
        },
      };
  },
};

interface BideToken {
  readonly token_der_base64: string;
  readonly time_stamp_resp_der_base64?: string;
  readonly gen_time?: string;
}

const heads: Suite = {
  name: 'bide/rfc3161',
  folder: 'bide',
  *cases(folder) {
    const data = folder.json('audit-vectors.json') as {
      readonly computed: {
        readonly rfc3161: {
          readonly head_hash_hex: string;
          readonly tsa_root_der_base64: string;
          readonly tsa_cert_der_base64: string;
          readonly good: BideToken & { readonly 'token_sha256_hex (TimeEvidence)': string };
          readonly wrong_imprint: BideToken;
        };
      };
    };
    const { good, wrong_imprint, head_hash_hex, tsa_root_der_base64, tsa_cert_der_base64 } = data.computed.rfc3161;
    const common = { anchors_b64: [tsa_root_der_base64], pool_b64: [tsa_cert_der_base64], imprint_hex: head_hash_hex };
    const forms = [
      ['token', good.token_der_base64],
      ['response', good.time_stamp_resp_der_base64 ?? ''],
    ] as const;
    for (const [form, token] of forms)
      yield {
        name: `good ${form}`,
        op: 'pki/timestamp',
        params: { ...common, token_b64: token },
        expect: (given) => {
          const answer = given as { readonly [name: string]: Json };
          if (answer['verified'] !== true) return `expected a valid token, got ${JSON.stringify(answer)}`;
          if (answer['time_evidence'] !== good['token_sha256_hex (TimeEvidence)']) return 'time_evidence differs';
          return answer['gen_time'] === good.gen_time && answer['accuracy_nanos'] === '1000000000'
            ? undefined
            : 'time differs';
        },
      };
    yield {
      name: 'token over another message',
      op: 'pki/timestamp',
      params: { ...common, token_b64: wrong_imprint.token_der_base64 },
      expect: (given) => {
        const answer = given as { readonly verified?: boolean; readonly findings?: readonly string[] };
        return answer.verified === false && answer.findings?.includes('pki/token-imprint')
          ? undefined
          : JSON.stringify(answer);
      },
    };
  },
};

export const suites: readonly Suite[] = [pkits, notices, tokens, heads];
