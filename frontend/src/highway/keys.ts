/** What a key asks for on the highway page; text fields and dialogs keep their keys to themselves. */

type Press = Pick<KeyboardEvent, 'key' | 'target' | 'ctrlKey' | 'metaKey' | 'altKey'>;
export type KeyCommand = 'pause' | 'another road';

const COMMANDS: Record<string, KeyCommand> = { p: 'pause', n: 'another road' };
const KEEP_KEYS = 'input[type=text], dialog';

export function commandOf({ key, target, ctrlKey, metaKey, altKey }: Press): KeyCommand | null {
  if (ctrlKey || metaKey || altKey) return null;
  if (target instanceof HTMLElement && target.closest(KEEP_KEYS)) return null;
  return COMMANDS[key.toLowerCase()] ?? null;
}
