/** What the browser remembers. Whatever cannot be read, or is not what it should be, counts as nothing. */

export interface TextStore {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

const PREFIX = 'hotlap.';

/** A store that works in this page: localStorage, or memory where the browser refuses it. */
export function pageStore(): TextStore {
  try {
    const probe = `${PREFIX}probe`;
    localStorage.setItem(probe, '1');
    localStorage.removeItem(probe);
    return localStorage;
  } catch {
    return memoryStore();
  }
}

export function memoryStore(): TextStore {
  const content = new Map<string, string>();
  return {
    getItem: (key) => content.get(key) ?? null,
    setItem: (key, value) => void content.set(key, value),
  };
}

/** A value as `check` accepts it; `check` gets anything at all and returns null for what is not right. */
export function read<T>(store: TextStore, key: string, check: (value: unknown) => T | null, empty: T): T {
  try {
    const text = store.getItem(PREFIX + key);
    return text === null ? empty : (check(JSON.parse(text)) ?? empty);
  } catch {
    return empty;
  }
}

/** Keep a value; a full or forbidden store loses it and the game goes on. */
export function write(store: TextStore, key: string, value: unknown): boolean {
  try {
    store.setItem(PREFIX + key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
