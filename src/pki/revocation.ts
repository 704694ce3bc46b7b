/**
 * Revocation status of the certificates of a path at an instant, from CRLs (RFC 5280 6.3.3) and OCSP responses (RFC 6960 3.2) that were given.
 *
 * Stricter than the standard in one direction only: a listing that is no hold counts wherever a verified list of the right scope
 * has it, also in one that has expired or that is newer than the instant (if the revocation itself is not). So more lists never turn
 * "revoked" into "good". To call a certificate good, a list must have been current at the instant.
 */
import type { Finding } from '../finding/finding.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import { catalogue, type PkiCode } from './catalogue.ts';
import { type Certificate, describe, verifySigned } from './certificate.ts';
import { type Crl, type CrlEntry, REASON, reasonName } from './crl.ts';
import { ALL_REASONS, type Coverage, coverage, deltaMismatch, pointsOf, reasonFlagNames } from './crlScope.ts';
import {
  answersFor,
  type IssuerContext,
  type OcspResponse,
  responderOf,
  responseStatusName,
  type SingleResponse,
} from './ocsp.ts';
import { buildPath } from './pathBuilding.ts';
import { found, type Path, type TrustAnchor } from './pathValidation.ts';
import { KEY_USAGE } from './structures.ts';

export interface StatusSources {
  readonly crls: readonly Crl[];
  readonly ocsp: readonly OcspResponse[];
  /** Certificates among which the signers of lists and responses may be. */
  readonly pool: readonly Certificate[];
}

export type Status = 'good' | 'revoked' | 'on-hold' | 'unknown' | 'stale';

/** The bytes that a status rests on. */
export interface StatusEvidence {
  readonly kind: 'crl' | 'delta' | 'ocsp';
  readonly sha256: string;
  readonly thisUpdate: Instant;
  readonly nextUpdate: Instant | undefined;
}

export interface StatusJudgement {
  readonly status: Status;
  readonly findings: readonly Finding[];
  readonly evidence: readonly StatusEvidence[];
  /** Of a revoked certificate: when, since when perhaps, and why. */
  readonly revocation?: { readonly date: Instant; readonly reason: number; readonly invalidityDate?: Instant };
}

/** Depth of signers of lists of signers of lists. */
const MAX_SIGNER_DEPTH = 4;

/** Status of every certificate of a path, target first. */
export function pathStatus(
  path: Path,
  anchor: TrustAnchor,
  sources: StatusSources,
  at: Instant,
): readonly StatusJudgement[] {
  return path.map((_, depth) => certificateStatus(path, depth, anchor, sources, at));
}

/** Status of the certificate at one depth of a path that was validated. */
export function certificateStatus(
  path: Path,
  depth: number,
  anchor: TrustAnchor,
  sources: StatusSources,
  at: Instant,
): StatusJudgement {
  const settled = new Set(path.map((certificate) => certificate.sha256));
  return new StatusCheck(path, depth, anchor, sources, at, settled, 0).judge();
}

/** The issuer of the certificate at a depth of a path. */
export function issuerAt(path: Path, depth: number, anchor: TrustAnchor): IssuerContext {
  const above = path[depth + 1];
  if (above !== undefined) return { name: above.subject, publicKey: above.publicKey, certificate: above };
  const { name, publicKey, certificate } = anchor;
  return { name, publicKey, ...(certificate === undefined ? {} : { certificate }) };
}

type Signer =
  | { readonly issuer: IssuerContext; readonly code?: undefined }
  | { readonly code: PkiCode; readonly detail: string };

interface Listing {
  readonly entry: CrlEntry;
  readonly crl: Crl;
}

class StatusCheck {
  readonly #path: Path;
  readonly #depth: number;
  readonly #certificate: Certificate;
  readonly #anchor: TrustAnchor;
  readonly #sources: StatusSources;
  readonly #at: Instant;
  /** Certificates whose own status is judged elsewhere: those of the path, and signers on the way here. */
  readonly #settled: ReadonlySet<string>;
  readonly #nesting: number;
  readonly #findings: Finding[] = [];
  readonly #evidence: StatusEvidence[] = [];
  readonly #signers = new Map<string, Signer>();

  constructor(
    path: Path,
    depth: number,
    anchor: TrustAnchor,
    sources: StatusSources,
    at: Instant,
    settled: ReadonlySet<string>,
    nesting: number,
  ) {
    this.#path = path;
    this.#depth = depth;
    this.#certificate = path[depth] as Certificate;
    this.#anchor = anchor;
    this.#sources = sources;
    this.#at = at;
    this.#settled = settled;
    this.#nesting = nesting;
  }

  judge(): StatusJudgement {
    const adverse = this.#adverse(false);
    const ocsp = this.#ocsp();
    const fromOcsp = ocsp === 'stale' ? undefined : ocsp;
    const fromCrls = this.#crls();
    const listing = adverse ?? fromCrls.listing;
    if (listing !== undefined)
      return this.#revoked(
        listing.entry.revocationDate,
        listing.entry.reason ?? 0,
        listing.crl.sha256,
        listing.entry.invalidityDate,
      );
    if (fromOcsp?.answer === 'revoked')
      return this.#revoked(fromOcsp.revocationTime ?? fromOcsp.thisUpdate, fromOcsp.reason ?? 0, 'OCSP');
    const holding = this.#adverse(true);
    if (holding !== undefined)
      return this.#revoked(
        holding.entry.revocationDate,
        REASON.certificateHold,
        holding.crl.sha256,
        holding.entry.invalidityDate,
      );
    if (fromOcsp?.answer === 'good' || fromCrls.covered === ALL_REASONS) return this.#result('good');
    const lacking = reasonFlagNames(ALL_REASONS & ~fromCrls.covered);
    const partly =
      fromCrls.covered === 0 ? 'no usable list or response covers it' : `no list covers the reasons ${lacking}`;
    const stale = fromCrls.stale || ocsp === 'stale';
    const when = `thisUpdate at or before and nextUpdate after ${formatInstant(this.#at)}`;
    this.#note(
      stale ? 'pki/status-stale' : 'pki/status-unknown',
      partly,
      `a list or response of ${this.#certificate.issuer.text} with ${when}`,
    );
    return this.#result(stale ? 'stale' : 'unknown');
  }

  #note(code: PkiCode, message: string, expected?: string): void {
    this.#findings.push(found(code, this.#certificate, this.#depth, message, expected));
  }

  /** A list or response that could not be used: said, without an effect of its own on the result. */
  #unused(code: PkiCode, what: string, sha256: string): void {
    const message = `depth ${this.#depth}, ${describe(this.#certificate)}: ${what} (SHA-256 ${sha256.slice(0, 16)})`;
    const finding = catalogue.find(code, message, {
      where: { part: `depth ${this.#depth}` },
      class: 'none',
      severity: 'warning',
    });
    if (!this.#findings.some((one) => one.code === code && one.message === message)) this.#findings.push(finding);
  }

  #result(status: Status): StatusJudgement {
    return { status, findings: this.#findings, evidence: this.#evidence };
  }

  #revoked(date: Instant, reason: number, source: string, invalidityDate?: Instant): StatusJudgement {
    const hold = reason === REASON.certificateHold;
    const since = invalidityDate === undefined ? '' : `, invalid since ${formatInstant(invalidityDate)}`;
    const by = source === 'OCSP' ? 'an OCSP response' : `the CRL with SHA-256 ${source.slice(0, 16)}`;
    this.#note(
      hold ? 'pki/on-hold' : 'pki/revoked',
      `${reasonName(reason)} at ${formatInstant(date)}${since}, by ${by}`,
    );
    const revocation = { date, reason, ...(invalidityDate === undefined ? {} : { invalidityDate }) };
    return { ...this.#result(hold ? 'on-hold' : 'revoked'), revocation };
  }

  /** A verified listing in any list of the right scope, whenever it was made; of holds only those that span the instant. */
  #adverse(held: boolean): Listing | undefined {
    for (const crl of this.#sources.crls) {
      const entry = this.#listed(crl);
      if (
        entry === undefined ||
        (entry.reason === REASON.certificateHold) !== held ||
        entry.reason === REASON.removeFromCRL
      )
        continue;
      // What is on hold in an earlier list may be released by the instant; a later list that dates the hold before it says that it was not.
      if (held && crl.thisUpdate <= this.#at) continue;
      const since =
        entry.invalidityDate !== undefined && entry.invalidityDate < entry.revocationDate
          ? entry.invalidityDate
          : entry.revocationDate;
      if (crl.thisUpdate > this.#at && since > this.#at) continue;
      const covers = pointsOf(this.#certificate).some(
        (point) => !('outside' in coverage(crl, this.#certificate, point)),
      );
      if (!covers || this.#unreadable(crl) !== undefined || this.#signer(crl).code !== undefined) continue;
      return { entry, crl };
    }
    return undefined;
  }

  /** Newest first; of two of one instant, the one that lists the certificate, so that the order in which they were given decides nothing. */
  #before(a: Crl, b: Crl): number {
    if (a.thisUpdate !== b.thisUpdate) return a.thisUpdate > b.thisUpdate ? -1 : 1;
    const [listedA, listedB] = [this.#listed(a) !== undefined, this.#listed(b) !== undefined];
    if (listedA !== listedB) return listedA ? -1 : 1;
    return a.sha256 < b.sha256 ? -1 : 1;
  }

  #listed(crl: Crl): CrlEntry | undefined {
    return crl.entriesFor(this.#certificate.serial).find((entry) => entry.issuerKey === this.#certificate.issuer.key);
  }

  /** Why the contents of a list may not be used whatever the certificate. */
  #unreadable(crl: Crl): { readonly code: PkiCode; readonly detail: string } | undefined {
    const [critical] = [...crl.unknownCritical, ...crl.unknownEntryCritical];
    if (critical !== undefined)
      return { code: 'pki/crl-critical-extension', detail: `a CRL has the critical extension ${critical}` };
    if (crl.baseNumber === undefined && crl.hasRemovals)
      return { code: 'pki/crl-entry', detail: 'a complete CRL has an entry removeFromCRL' };
    if (crl.hasEntryIssuers && crl.scope?.indirect !== true)
      return { code: 'pki/crl-entry', detail: 'entries of a CRL name other issuers, and it is not marked as indirect' };
    return undefined;
  }

  /** 6.3.3: complete lists, newest first, over the distribution points, until all reasons are covered. */
  #crls(): { readonly covered: number; readonly stale: boolean; readonly listing: Listing | undefined } {
    const complete = this.#sources.crls
      .filter((crl) => crl.baseNumber === undefined)
      .sort((a, b) => this.#before(a, b));
    let covered = 0;
    let stale = false;
    let listing: Listing | undefined;
    for (const point of pointsOf(this.#certificate)) {
      for (const crl of complete) {
        const scope: Coverage = coverage(crl, this.#certificate, point);
        if ('outside' in scope) {
          if (crl.issuer.key === this.#certificate.issuer.key)
            this.#unused('pki/crl-scope', `a CRL does not cover it: ${scope.outside}`, crl.sha256);
          continue;
        }
        if ((scope.reasons & ~covered) === 0) continue; // (e)
        const unreadable = this.#unreadable(crl);
        if (unreadable !== undefined) {
          this.#unused(unreadable.code, unreadable.detail, crl.sha256);
          continue;
        }
        const signer = this.#signer(crl); // (f), (g)
        if (signer.code !== undefined) {
          this.#unused(signer.code, signer.detail, crl.sha256);
          continue;
        }
        if (crl.thisUpdate > this.#at) {
          this.#unused(
            'pki/crl-not-yet-valid',
            `a CRL is from ${formatInstant(crl.thisUpdate)}, after the instant`,
            crl.sha256,
          );
          continue;
        }
        const delta = this.#delta(crl, signer.issuer); // (c), (h)
        if (delta === undefined && !current(crl, this.#at)) {
          stale = true;
          this.#unused(
            'pki/crl-stale',
            crl.nextUpdate === undefined
              ? 'a CRL has no nextUpdate'
              : `a CRL expired at ${formatInstant(crl.nextUpdate)}`,
            crl.sha256,
          );
          continue;
        }
        covered |= scope.reasons;
        this.#evidence.push(evidenceOf('crl', crl));
        if (delta !== undefined) this.#evidence.push(evidenceOf('delta', delta));
        const changed = delta === undefined ? undefined : this.#listed(delta); // (i)
        const entry = changed ?? this.#listed(crl); // (j)
        if (entry !== undefined && entry.reason !== REASON.removeFromCRL)
          listing ??= { entry, crl: changed === undefined || delta === undefined ? crl : delta }; // (k), (l)
      }
    }
    return { covered, stale, listing };
  }

  /** The newest current delta that belongs to a complete list and is signed by the same key. */
  #delta(complete: Crl, issuer: IssuerContext): Crl | undefined {
    const deltas = this.#sources.crls.filter(
      (crl) => crl.baseNumber !== undefined && crl.issuer.key === complete.issuer.key,
    );
    for (const delta of deltas.sort((a, b) => this.#before(a, b))) {
      const mismatch = deltaMismatch(delta, complete);
      if (mismatch !== undefined) {
        this.#unused('pki/crl-delta-base', `a delta CRL is not applied: ${mismatch}`, delta.sha256);
        continue;
      }
      const unreadable = this.#unreadable(delta);
      if (unreadable !== undefined) this.#unused(unreadable.code, unreadable.detail, delta.sha256);
      else if (!verifySigned(delta, issuer.publicKey))
        this.#unused('pki/crl-signature', 'a delta CRL does not verify', delta.sha256);
      else if (delta.thisUpdate > this.#at || !current(delta, this.#at))
        this.#unused('pki/crl-stale', 'a delta CRL is not current', delta.sha256);
      else return delta;
    }
    return undefined;
  }

  /** The key that signed a list: the issuer's own, or another of its name with a path to the same anchor (6.3.3 (f)). */
  #signer(crl: Crl): Signer {
    const known = this.#signers.get(crl.sha256);
    if (known !== undefined) return known;
    const signer = this.#findSigner(crl);
    this.#signers.set(crl.sha256, signer);
    return signer;
  }

  #findSigner(crl: Crl): Signer {
    let refusal: Signer = {
      code: 'pki/crl-issuer',
      detail: `no certificate for the CRL issuer ${crl.issuer.text} leads to the anchor`,
    };
    const inPath = this.#path
      .map((_, depth) => issuerAt(this.#path, depth, this.#anchor))
      .filter((issuer) => issuer.name.key === crl.issuer.key);
    const trusted: IssuerContext[] = [...inPath.slice(), this.#anchor].filter(
      (issuer) => issuer.name.key === crl.issuer.key,
    );
    for (const issuer of trusted) {
      if (!verifySigned(crl, issuer.publicKey)) {
        refusal = {
          code: 'pki/crl-signature',
          detail: `a CRL does not verify under a key of its issuer ${crl.issuer.text}`,
        };
        continue;
      }
      if (mayNotSignCrls(issuer.certificate))
        refusal = { code: 'pki/crl-key-usage', detail: 'the key that signed a CRL may not sign CRLs' };
      else return { issuer };
    }
    for (const certificate of this.#sources.pool) {
      if (certificate.subject.key !== crl.issuer.key || !verifySigned(crl, certificate.publicKey)) continue;
      if (mayNotSignCrls(certificate))
        refusal = { code: 'pki/crl-key-usage', detail: 'the key that signed a CRL may not sign CRLs' };
      else if (this.#trusts(certificate))
        return { issuer: { name: certificate.subject, publicKey: certificate.publicKey, certificate } };
      else
        refusal = {
          code: 'pki/crl-issuer',
          detail: `the certificate of the CRL issuer ${crl.issuer.text} is not valid, or its status is not good`,
        };
    }
    return refusal;
  }

  /** A signer's certificate has a path to the anchor of this path, and everything on it is good at the instant. */
  #trusts(certificate: Certificate): boolean {
    if (this.#settled.has(certificate.sha256)) return true;
    if (this.#nesting >= MAX_SIGNER_DEPTH) return false;
    const judged = buildPath(certificate, { pool: this.#sources.pool, anchors: [this.#anchor] }, { at: this.#at });
    if (!judged.valid) return false;
    const settled = new Set([...this.#settled, ...judged.path.map((one) => one.sha256)]);
    return judged.path.every(
      (one, depth) =>
        this.#settled.has(one.sha256) ||
        new StatusCheck(judged.path, depth, this.#anchor, this.#sources, this.#at, settled, this.#nesting + 1).judge()
          .status === 'good',
    );
  }

  /** The newest usable answer; a revocation in any usable response wins. */
  #ocsp(): SingleResponse | 'stale' | undefined {
    const issuer = issuerAt(this.#path, this.#depth, this.#anchor);
    let best: SingleResponse | undefined;
    let stale = false;
    for (const response of this.#sources.ocsp) {
      const { basic, sha256 } = response;
      if (basic === undefined) {
        this.#unused(
          'pki/ocsp-unsuccessful',
          `an OCSP response says ${responseStatusName(response.responseStatus)}`,
          sha256,
        );
        continue;
      }
      const answers = answersFor(basic, this.#certificate, issuer);
      if (answers.length === 0) {
        this.#unused('pki/ocsp-scope', 'an OCSP response is about another certificate', sha256);
        continue;
      }
      const responder = responderOf(basic, issuer, this.#sources.pool);
      if (responder.problem !== undefined) {
        this.#unused(
          responder.problem === 'signature' ? 'pki/ocsp-signature' : 'pki/ocsp-responder',
          `an OCSP response is not usable: ${responder.detail}`,
          sha256,
        );
        continue;
      }
      const refusal = responder.delegate === undefined ? undefined : this.#delegateRefused(responder.delegate);
      if (refusal !== undefined) {
        this.#unused('pki/ocsp-responder', `an OCSP response is not usable: ${refusal}`, sha256);
        continue;
      }
      for (const answer of answers) {
        const critical = [...basic.unknownCritical, ...answer.unknownCritical][0];
        if (critical !== undefined)
          this.#unused('pki/critical-extension', `an OCSP response has the critical extension ${critical}`, sha256);
        else if (answer.answer === 'unknown')
          this.#unused('pki/ocsp-unknown', 'the OCSP responder does not know it', sha256);
        else if (
          answer.answer === 'revoked' &&
          answer.reason !== REASON.certificateHold &&
          (answer.thisUpdate <= this.#at || (answer.revocationTime ?? answer.thisUpdate) <= this.#at)
        ) {
          this.#evidence.push({ kind: 'ocsp', sha256, thisUpdate: answer.thisUpdate, nextUpdate: answer.nextUpdate });
          return answer;
        } else if (answer.thisUpdate > this.#at || basic.producedAt > this.#at)
          this.#unused(
            'pki/ocsp-not-yet-valid',
            `an OCSP response is from ${formatInstant(answer.thisUpdate)}, after the instant`,
            sha256,
          );
        else if (answer.nextUpdate === undefined || answer.nextUpdate < this.#at) {
          stale = true;
          this.#unused(
            'pki/ocsp-stale',
            answer.nextUpdate === undefined
              ? 'an OCSP response has no nextUpdate'
              : `an OCSP response expired at ${formatInstant(answer.nextUpdate)}`,
            sha256,
          );
        } else {
          this.#evidence.push({ kind: 'ocsp', sha256, thisUpdate: answer.thisUpdate, nextUpdate: answer.nextUpdate });
          if (best === undefined || answer.thisUpdate > best.thisUpdate) best = answer;
        }
      }
    }
    return best ?? (stale ? 'stale' : undefined);
  }

  /** RFC 6960 4.2.2.2.1: a delegate is valid at the instant, and trusted by its nocheck extension or good by a CRL. */
  #delegateRefused(delegate: Certificate): string | undefined {
    if (this.#at < delegate.notBefore || this.#at >= delegate.notAfter + 1_000_000_000n)
      return 'the responder certificate is not valid at the instant';
    const path = [delegate, ...this.#path.slice(this.#depth + 1)];
    const judged = buildPath(delegate, { pool: path.slice(1), anchors: [this.#anchor] }, { at: this.#at });
    if (!judged.valid) return 'the responder certificate has no valid path';
    if (delegate.ocspNoCheck || this.#settled.has(delegate.sha256)) return undefined;
    if (this.#nesting >= MAX_SIGNER_DEPTH) return 'the status of the responder certificate is not known';
    const crlsOnly = { ...this.#sources, ocsp: [] };
    const settled = new Set([...this.#settled, delegate.sha256]);
    const { status } = new StatusCheck(path, 0, this.#anchor, crlsOnly, this.#at, settled, this.#nesting + 1).judge();
    return status === 'good' ? undefined : 'the responder certificate is not known to be good';
  }
}

/** nextUpdate has not passed; without one, age is undefined and the list is not current. */
function current(crl: Crl, at: Instant): boolean {
  return crl.nextUpdate !== undefined && at <= crl.nextUpdate;
}

function mayNotSignCrls(certificate: Certificate | undefined): boolean {
  return certificate?.keyUsage !== undefined && (certificate.keyUsage & KEY_USAGE.cRLSign) === 0;
}

function evidenceOf(kind: 'crl' | 'delta', crl: Crl): StatusEvidence {
  return { kind, sha256: crl.sha256, thisUpdate: crl.thisUpdate, nextUpdate: crl.nextUpdate };
}
