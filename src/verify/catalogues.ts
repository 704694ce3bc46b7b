/** Every finding code of the product. Each catalogue is kept by the module that emits its codes; it is loaded only to be explained. */
import type { CatalogueEntry } from '../finding/catalogue.ts';

const LOADERS: readonly (() => Promise<{ catalogue: { entries: Readonly<Record<string, CatalogueEntry>> } }>)[] = [
  () => import('../approval/catalogue.ts'),
  () => import('../atif/catalogue.ts'),
  () => import('../bundle/catalogue.ts'),
  () => import('../identity/catalogue.ts'),
  () => import('../trust/catalogue.ts'),
  () => import('../evidence/catalogue.ts'),
  () => import('../journal/catalogue.ts'),
  () => import('../notify/catalogue.ts'),
  () => import('../json/catalogue.ts'),
  () => import('../pki/catalogue.ts'),
  () => import('../session/catalogue.ts'),
  () => import('../session/catalogueRecords.ts'),
  () => import('../session/catalogueStores.ts'),
  () => import('../log/catalogue.ts'),
  () => import('./catalogue.ts'),
];

/** Code to entry, sorted by code. */
export async function allEntries(): Promise<ReadonlyMap<string, CatalogueEntry>> {
  const catalogues = await Promise.all(LOADERS.map((load) => load()));
  const rows = catalogues.flatMap(({ catalogue }) => Object.entries(catalogue.entries));
  return new Map(rows.sort(([a], [b]) => (a < b ? -1 : 1)));
}
