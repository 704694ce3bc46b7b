/** Names of document files: atif-export 12.1. */
import { type AtifDocument, member } from './document.ts';

/** Every code point that a file name may not hold becomes one `-`. */
export function safe(text: string): string {
  return text.replace(/[^A-Za-z0-9\-_.]/gu, '-');
}

export function mainDocumentName(sessionId: string): string {
  return `${safe(sessionId)}.json`;
}

export function documentName(document: AtifDocument): string {
  const session = document.session_id ?? '';
  const isMain = member(member(document.extra ?? null, 'agentsession'), 'main') === true;
  if (isMain && session !== '') return mainDocumentName(session);
  const id = safe((document.trajectory_id ?? '').replace(/^sha256:/, '')) || 'trajectory';
  return session === '' ? `${id}.json` : `${safe(session)}_${id}.json`;
}
