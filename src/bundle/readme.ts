/**
 * The page for people inside a bundle: what was verified, what was not, and how to check it without this program. Plain text, and ASCII but
 * for what the files themselves say; its commands are run by a test as they stand here.
 */
import type { SchemeName } from '../crypto/signature.ts';
import { visible } from '../finding/visible.ts';
import { MANIFEST, type Member, type Replaced } from './manifest.ts';
import type { ReportFacts } from './reportPredicate.ts';

export interface ReadmeFacts {
  readonly made: string;
  readonly scheme: SchemeName;
  readonly keyid: string;
  /** All other members. */
  readonly members: readonly Member[];
  readonly replaces: Replaced | null;
  readonly report: Omit<ReportFacts, 'inputs'> & { readonly inputs: readonly ReadmeInput[] };
}

/** What the page says of one verified file. */
interface ReadmeInput {
  readonly path: string;
  readonly kind: string | null;
  readonly result: string;
  readonly claims: readonly {
    readonly claim: string;
    readonly verdict: string;
    readonly scope: string;
    readonly detail: string;
  }[];
  readonly findings: readonly { readonly code: string; readonly class: string; readonly message: string }[];
  readonly missing: readonly { readonly claim: string; readonly item: string; readonly who: string }[];
}

const RESULT: ReadonlyMap<string, string> = new Map([
  ['verified', 'VERIFIED'],
  ['not_verified', 'NOT VERIFIED'],
  ['no_verdict', 'NO VERDICT: nothing is known to be wrong, and something that was required could not be decided'],
  ['unusable_input', 'UNUSABLE: a file could not be read'],
]);
const ROLES: Readonly<Record<Member['role'], string>> = {
  input: 'verified file',
  head: 'signed head, used to verify',
  companion: 'evidence beside the files',
  media: 'media that the sessions keep beside themselves',
  trust: 'keys and policies of the maker',
  report: 'the full report',
  attestation: 'the report in short, signed',
  readme: 'this page',
  key: 'public key of the maker',
};
const MOST_LINES = 40;

export function readmeText(facts: ReadmeFacts): string {
  return [
    ...opening(facts),
    ...whatIsInside(facts),
    ...whatWasFound(facts),
    ...withTheProgram(),
    ...withoutTheProgram(facts),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function opening({ made, replaces, report }: ReadmeFacts): readonly string[] {
  return [
    'AUDIT BUNDLE',
    '============',
    '',
    `Made ${made} with ${report.tool.name} ${report.tool.version}, by the maker's own clock.`,
    '',
    'This archive holds records of what an AI agent did, the evidence about them, and',
    'the report of a verification that anybody can repeat from the files alone.',
    ...(replaces === null
      ? []
      : [
          '',
          'It was made from an earlier bundle and leaves out or changes files of it.',
          `Earlier bundle: SHA-256 ${replaces.sha256}`,
          ...replaces.removed.map((name) => `Left out or changed: ${visible(name)}`),
        ]),
    '',
  ];
}

function whatIsInside({ members }: ReadmeFacts): readonly string[] {
  const width = Math.min(48, Math.max(...members.map(({ name }) => name.length), MANIFEST.length));
  return [
    'WHAT IS INSIDE',
    '--------------',
    '',
    `  ${MANIFEST.padEnd(width)}  list of all files with their digests, signed`,
    ...members.map(({ name, role }) => `  ${visible(name).padEnd(width)}  ${ROLES[role]}`),
    '',
  ];
}

function whatWasFound({ report }: ReadmeFacts): readonly string[] {
  const lines = ['WHAT WAS FOUND, AND WHAT WAS NOT', '--------------------------------', ''];
  lines.push(`Result over all files: ${RESULT.get(report.result) ?? report.result}`);
  if (report.as_of !== null) lines.push(`Judged as of ${report.as_of.time}.`);
  lines.push('', "This is what the maker found under the trust file inside. It is the maker's word");
  lines.push('until you have repeated it under keys that you know from elsewhere.', '');
  for (const { path, kind, result, claims, findings, missing } of report.inputs) {
    lines.push(`${visible(path)} (${kind ?? 'of no known kind'}): ${RESULT.get(result) ?? result}`);
    for (const verdict of ['verified', 'failed', 'undecided'] as const)
      for (const { claim, scope, detail } of claims.filter((row) => row.verdict === verdict))
        lines.push(`  ${WORDS[verdict]} ${visible(claim)}: ${visible(scope)}`, `      ${visible(detail)}`);
    for (const { code, message } of findings.filter((finding) => finding.class !== 'none').slice(0, MOST_LINES))
      lines.push(`  finding ${code}: ${visible(message)}`);
    for (const { claim, item, who } of missing.slice(0, MOST_LINES))
      lines.push(`  would decide ${visible(claim)}: ${visible(item)} (from ${visible(who)})`);
    lines.push('');
  }
  return lines;
}

const WORDS = { verified: 'holds     ', failed: 'FAILS     ', undecided: 'NOT PROVEN' } as const;

function withTheProgram(): readonly string[] {
  return [
    'HOW TO CHECK IT WITH THE PROGRAM',
    '--------------------------------',
    '',
    '  audit verify THIS.bundle --trust YOUR-TRUST.json',
    '',
    'YOUR-TRUST.json names the keys that you know from elsewhere. The trust file inside',
    "is the maker's: read it, compare every key in it, and only then use it as your own.",
    '',
  ];
}

/** Commands of the shell stand alone on lines that begin with four spaces. */
function withoutTheProgram({ scheme, keyid, members }: ReadmeFacts): readonly string[] {
  const verify = VERIFY[scheme];
  const attested = members.some(({ role }) => role === 'attestation');
  return [
    'HOW TO CHECK IT WITHOUT THE PROGRAM',
    '-----------------------------------',
    '',
    'With unzip, jq, sha256sum and openssl. Begin in an empty folder with this archive in',
    'it under the name audit.bundle.',
    '',
    '1. Unpack. There are no folders to leave and no links in it; nothing is compressed.',
    '',
    '    unzip -q audit.bundle -d bundle',
    '',
    '2. What was signed: the list of files, in its envelope (DSSE, in-toto).',
    '',
    '    jq -rj .payload bundle/manifest.dsse.json | base64 -d > manifest.json',
    "    (printf 'DSSEv1 28 application/vnd.in-toto+json %d ' $(wc -c < manifest.json); cat manifest.json) > signed",
    "    jq -rj '.signatures[0].sig' bundle/manifest.dsse.json | base64 -d > signature",
    '',
    ...(verify === undefined
      ? [`3. The key is of the scheme ${scheme}, which openssl does not know. This step needs the program.`, '']
      : [
          '3. Who signed it. maker.pem came with the bundle and proves nothing by itself: compare its',
          '   digest with the one that the maker gave you by another way.',
          '',
          `   ${keyid}`,
          '',
          '    openssl pkey -pubin -in bundle/maker.pem -outform DER | sha256sum',
          `    ${verify}`,
          '',
        ]),
    '4. Every file is the one that was signed for, and there is no other.',
    '',
    '    (cd bundle && jq -r \'.subject[] | .digest.sha256 + "  " + .name\' ../manifest.json | sha256sum -c --quiet -)',
    "    (cd bundle && find . -type f | sed 's,^\\./,,' | grep -v '^manifest.dsse.json$' | LC_ALL=C sort) > found",
    "    jq -r '.subject[].name' manifest.json | LC_ALL=C sort > listed",
    '    cmp found listed',
    '',
    '5. What the report says of each file, and that it is about these very files.',
    '',
    '    jq -r \'.inputs[] | .result + "  " + .path\' bundle/report.json',
    '    (cd bundle && jq -r \'.inputs[] | .sha256 + "  " + .path\' report.json | sha256sum -c --quiet -)',
    '    jq -r \'.inputs[].claims[] | .verdict + "  " + .claim + ": " + .scope\' bundle/report.json',
    ...(attested
      ? [
          '',
          '6. report.dsse.json says the same in short, for tools that read in-toto statements.',
          '',
          "    jq -rj .payload bundle/report.dsse.json | base64 -d | jq -r '.predicate.result'",
        ]
      : []),
    '',
    'These steps show that the files are those of the maker. That the report follows from',
    'them is what the program shows; docs and formats are public, so that another program can.',
  ];
}

const VERIFY: Readonly<Record<SchemeName, string | undefined>> = {
  ed25519: 'openssl pkeyutl -verify -pubin -inkey bundle/maker.pem -rawin -in signed -sigfile signature',
  'ecdsa-p256': 'openssl dgst -sha256 -verify bundle/maker.pem -signature signature signed',
  'ml-dsa-65': 'openssl pkeyutl -verify -pubin -inkey bundle/maker.pem -rawin -in signed -sigfile signature',
  'ed25519+ml-dsa-65': undefined,
};
