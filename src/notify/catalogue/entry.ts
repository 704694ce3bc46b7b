/** One row of the trail catalogue: the mark of section 14 and the texts that go with it. */
import type { CatalogueEntry } from '../../finding/catalogue.ts';

/** E: a promise broken or evidence inconsistent. W: lateness, or what a crash or an old version explains. I: context. U: not usable. */
export type Mark = 'E' | 'W' | 'I' | 'U';

const CLASS = { E: 'not_verified', W: 'none', I: 'none', U: 'unusable' } as const;
const SEVERITY = { E: 'error', W: 'warning', I: 'note', U: 'error' } as const;

export function entry(
  mark: Mark,
  section: string,
  title: string,
  [means, matters, causes, remedy]: readonly [means: string, matters: string, causes: string, remedy: string],
): CatalogueEntry {
  return {
    title,
    class: CLASS[mark],
    severity: SEVERITY[mark],
    rule: `notifications ${section}`,
    means,
    matters,
    causes,
    remedy,
  };
}
