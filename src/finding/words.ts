/** Words of findings and claims that depend on a number. */

/** `1 entry`, `2 entries`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
