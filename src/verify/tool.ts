/** What this program calls itself in reports; the version is that of package.json. */
export const TOOL = { name: 'audit', version: '0.1.0' } as const;
