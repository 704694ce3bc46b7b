/**
 * Whether linked sessions are the ones that this session started: `verifyLinks` of session-format 9.2, and successors (5.14).
 */
import type { Finding } from '../finding/finding.ts';
import { catalogue } from './catalogueRecords.ts';
import type { Header, LinkEntry } from './model.ts';
import type { EntryIndex, Session } from './session.ts';

/** The headers under which a session id is known: usually one, none when the file is not given. */
export type ResolveSession = (id: string) => readonly Pick<Header, 'id' | 'parentSession' | 'spawnedBy'>[];

export interface LinkChecks {
  /** Subsession links that the file itself made to sessions kept as sessions. */
  readonly links: number;
  readonly checked: number;
  /** Sessions that were not given: such a child may never have started. */
  readonly absent: readonly string[];
  readonly findings: readonly Finding[];
}

/** The own `subsession` links of a session in file order, those to other systems and cancel notices aside. */
export function subsessionLinks(session: Session): readonly { readonly index: EntryIndex; readonly link: LinkEntry }[] {
  const found: { index: EntryIndex; link: LinkEntry }[] = [];
  for (let index = 0; index < session.size; index++) {
    if (session.kind(index) !== 'link' || !session.usable(index) || !session.own(index)) continue;
    const link = session.entry(index);
    if (link.kind === 'link' && link.rel === 'subsession' && link.url === undefined && !link.cancel)
      found.push({ index, link });
  }
  return found;
}

/** Session-format 9.2, every link. */
export function verifyLinks(session: Session, resolve: ResolveSession): LinkChecks {
  const findings: Finding[] = [];
  const absent: string[] = [];
  const links = subsessionLinks(session);
  let checked = 0;
  for (const { index, link } of links) {
    const children = resolve(link.session);
    if (children.length === 0) {
      absent.push(link.session);
      continue;
    }
    checked++;
    for (const child of children) {
      const disagreement =
        child.parentSession !== session.header.id
          ? { member: 'parent_session', expected: session.header.id, actual: child.parentSession }
          : child.spawnedBy !== link.callId
            ? { member: 'spawned_by', expected: link.callId ?? '', actual: child.spawnedBy }
            : undefined;
      if (disagreement === undefined) continue;
      const { member, expected, actual = '' } = disagreement;
      findings.push(
        catalogue.find(
          'session/link-mismatch',
          `the header of session ${JSON.stringify(link.session)} names another ${member} than this link`,
          {
            where: { line: session.line(index), byte: session.offset(index), entry: session.id(index) },
            expected,
            actual,
          },
        ),
      );
    }
  }
  return { links: links.length, checked, absent, findings };
}

/**
 * The session that the last `continued_in` link with a session names, and the links that name another one than before. A file with
 * several reads (12.5); which is meant is for a person to say.
 */
export function successors(session: Session): {
  readonly successor: string | undefined;
  readonly findings: readonly Finding[];
} {
  let successor: string | undefined;
  const findings: Finding[] = [];
  for (let index = 0; index < session.size; index++) {
    if (session.kind(index) !== 'link' || !session.usable(index) || !session.own(index)) continue;
    const link = session.entry(index);
    if (link.kind !== 'link' || link.rel !== 'continued_in' || link.session === '') continue;
    if (successor !== undefined && successor !== link.session)
      findings.push(
        catalogue.find('session/superseded', 'the session names a second successor', {
          where: { line: session.line(index), byte: session.offset(index), entry: session.id(index) },
          expected: successor,
          actual: link.session,
        }),
      );
    successor = link.session;
  }
  return { successor, findings };
}
