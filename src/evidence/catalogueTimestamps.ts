/** Catalogue entries about RFC 3161 requests and tokens (audit spec 5). */
import type { CatalogueEntry } from '../finding/catalogue.ts';

export const timestampEntries = {
  'evidence/request-unreadable': {
    title: 'The time-stamp request cannot be read',
    class: 'unusable',
    severity: 'error',
    rule: 'interop 4',
    means:
      'The file is not the DER of a request: a length or number in a longer form than needed, a member too many, or other bytes.',
    matters: 'Without the request the nonce of the answer cannot be compared.',
    causes: 'A response given in place of the request, a damaged file, or a tool that writes BER.',
    remedy: 'Give the .tsq file that was sent to the time-stamping authority.',
  },
} as const satisfies Record<string, CatalogueEntry>;
