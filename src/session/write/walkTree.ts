/** Changing the scalars of a JSON tree without recursion: nesting may be 10,000 deep (session-format 3.2). */
import type { JsonArray, JsonMember, JsonNode, JsonObject } from '../../json/tree.ts';

export interface ScalarMap {
  /** Gives what stands in the place of a scalar; the same node where nothing changes. */
  scalar(node: JsonNode, at: () => string): JsonNode;
  /** Told of every object before its members. */
  members(object: JsonObject, at: () => string): void;
}

interface Frame {
  readonly node: JsonArray | JsonObject;
  next: number;
  /** Set once a child changed. */
  changed: (JsonNode | JsonMember)[] | undefined;
}

function token(frame: Frame): string {
  const index = frame.next - 1;
  if (frame.node.kind === 'array') return String(index);
  return (frame.node.members[index] as JsonMember).name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The tree with its scalars changed; what holds no change is shared with the input. */
export function mapScalars(root: JsonNode, map: ScalarMap): JsonNode {
  const stack: Frame[] = [];
  const at = (): string => stack.map((frame) => `/${token(frame)}`).join('');
  const open = (node: JsonNode): JsonNode | undefined => {
    if (node.kind !== 'array' && node.kind !== 'object') return map.scalar(node, at);
    if (node.kind === 'object') map.members(node, at);
    stack.push({ node, next: 0, changed: undefined });
    return undefined;
  };
  let done = open(root);
  for (;;) {
    const frame = stack.at(-1);
    if (frame === undefined) return done as JsonNode;
    const { node } = frame;
    if (done !== undefined) put(frame, done);
    const size = node.kind === 'array' ? node.items.length : node.members.length;
    if (frame.next === size) {
      stack.pop();
      done = close(frame);
      continue;
    }
    const index = frame.next++;
    const child = node.kind === 'array' ? node.items[index] : node.members[index]?.value;
    done = open(child as JsonNode);
  }
}

function put(frame: Frame, value: JsonNode): void {
  const { node } = frame;
  const index = frame.next - 1;
  if (node.kind === 'array') {
    if (value === node.items[index] && frame.changed === undefined) return;
    frame.changed ??= node.items.slice(0, index);
    frame.changed.push(value);
    return;
  }
  const member = node.members[index] as JsonMember;
  if (value === member.value && frame.changed === undefined) return;
  frame.changed ??= node.members.slice(0, index);
  frame.changed.push({ ...member, value });
}

function close({ node, changed }: Frame): JsonNode {
  if (changed === undefined) return node;
  return node.kind === 'array'
    ? { ...node, items: changed as JsonNode[] }
    : { ...node, members: changed as JsonMember[] };
}
