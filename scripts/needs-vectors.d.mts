/** Test files that are left out because the vectors made elsewhere are not beside the project: paths from its root. */
export function leftOut(): readonly string[];
