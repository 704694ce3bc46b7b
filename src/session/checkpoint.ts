/** Settings written out: the checkpoint that a compaction carries. Session-format 6.8. */
import { idsOf } from './idSet.ts';
import { type OmitInForce, omitsNothing, type Settings } from './settings.ts';

/** The RFC 8785 text of the settings in force, empty members left out. */
export function checkpointText(settings: Settings): string {
  const { model, instructions, instructionsParts, instructionsOmitted, omit, reasoning, text, tools, extra } = settings;
  const members = new Map<string, string>();
  if (extra.size > 0) members.set('extra', objectText(extra));
  if (instructions !== '') members.set('instructions', JSON.stringify(instructions));
  if (instructionsOmitted.length > 0)
    members.set('instructions_omitted', `[${instructionsOmitted.map(({ json }) => json).join(',')}]`);
  // Parts are left out altogether when one of them is unresolved: the string says what was sent.
  const parts = instructionsParts.map((part) =>
    part.unresolved
      ? undefined
      : objectText(
          new Map(
            [['id', part.id] as const, ['source', part.source] as const, ['text', part.text] as const]
              .filter(([, value]) => value !== '')
              .map(([name, value]) => [name, JSON.stringify(value)]),
          ),
        ),
  );
  if (parts.length > 0 && !parts.includes(undefined)) members.set('instructions_parts', `[${parts.join(',')}]`);
  if (model !== '') members.set('model', JSON.stringify(model));
  if (!omitsNothing(omit)) members.set('omit', omitText(omit));
  if (reasoning !== undefined && reasoning !== '{}') members.set('reasoning', reasoning);
  if (text !== undefined && text !== '{}') members.set('text', text);
  if (tools.length > 0) members.set('tools', `[${tools.map(({ json }) => json).join(',')}]`);
  return objectText(members);
}

function omitText({ otherModels, items, outputs, images }: OmitInForce): string {
  const members = new Map<string, string>();
  if (images !== undefined) {
    const bound = 'keep' in images ? ['keep', String(images.keep)] : ['before', JSON.stringify(images.before)];
    members.set(
      'images',
      objectText(new Map([bound as [string, string], ['placeholder', JSON.stringify(images.placeholder)]])),
    );
  }
  if (items.size > 0) members.set('items', JSON.stringify(idsOf(items)));
  if (outputs !== undefined) {
    const ids = outputs.items.size === 0 ? '' : `"items":${JSON.stringify(idsOf(outputs.items))},`;
    members.set('outputs', `{${ids}"text":${JSON.stringify(outputs.text)}}`);
  }
  if (otherModels) members.set('reasoning', '"other_models"');
  return objectText(members);
}

/** An object of members whose values are canonical already. */
function objectText(members: ReadonlyMap<string, string>): string {
  const names = [...members.keys()].sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${members.get(name)}`).join(',')}}`;
}
