/** What a player can choose, with its defaults; unknown or broken choices fall back one by one. */
import { isRecord, read, type TextStore, write } from './storage';

export const LAP_CHOICES = [1, 3, 5, 10, 0] as const;
export const MODES = ['versus', 'race', 'solo', 'spectate', 'younger', 'learn'] as const;
export type Mode = (typeof MODES)[number];
export const MOST_OPPONENTS = 7;
/** Where the player starts a race: behind everybody, in front, or where the draw puts them. */
export const ORDERS = ['last', 'first', 'drawn'] as const;
export type StartOrder = (typeof ORDERS)[number];
export const LIGHTS = ['day', 'night'] as const;
export type Light = (typeof LIGHTS)[number];
/** A camera that turns with the car where the screen stands upright, always the same way up, or always turning. */
export const CAMERAS = ['auto', 'north', 'turn'] as const;
export type CameraChoice = (typeof CAMERAS)[number];

/** Strengths that are no level: as the drivers learned, rivals that follow the player, and a field of all levels. */
export const FULL_STRENGTH = 0;
export const FOLLOWS = -1;
export const MIXED_LEVELS = -2;

export interface Settings {
  name: string;
  mode: Mode;
  car: string;
  track: string;
  policy: string;
  /** How strong the others are: a level from 1 on, or one of the choices below. */
  strength: number;
  /** The level of rivals that follow the player; above the last one they drive as they learned. */
  level: number;
  /** The run to watch, or whose younger selves to race; nothing for the one in training, or that of the driver. */
  run: string;
  /** 0 is free driving. */
  laps: number;
  /** How many cars race the player, and from where the player starts. */
  opponents: number;
  order: StartOrder;
  volume: number;
  muted: boolean;
  light: Light;
  camera: CameraChoice;
  /** How fast keys turn the wheel; 1 is usual. */
  keySensitivity: number;
  /** Whether the car follows the road while nobody steers. */
  steeringHelp: boolean;
  /** What helps a person in a car with grip. */
  tractionControl: boolean;
  antiLock: boolean;
  /** Whether the reference lap drives along, and where it brakes is painted on the road. */
  showGhost: boolean;
  showRays: boolean;
  showLine: boolean;
  showInputs: boolean;
  showRivalInputs: boolean;
  reduceMotion: boolean;
  /** Whether the player has driven before: then nobody explains the controls. */
  hasDriven: boolean;
  /** Whether the player drives along with the younger selves, or in a race. */
  joinIn: boolean;
}

export const DEFAULTS: Settings = {
  name: 'You',
  mode: 'versus',
  car: 'classic',
  track: 'track-01',
  policy: '',
  strength: FULL_STRENGTH,
  level: 1,
  run: '',
  laps: 3,
  opponents: 5,
  order: 'last',
  volume: 0.6,
  muted: false,
  light: 'day',
  camera: 'auto',
  keySensitivity: 1,
  steeringHelp: false,
  tractionControl: true,
  antiLock: true,
  showGhost: true,
  showRays: false,
  showLine: false,
  showInputs: true,
  showRivalInputs: false,
  reduceMotion: false,
  hasDriven: false,
  joinIn: true,
};

export function loadSettings(store: TextStore): Settings {
  return read(store, 'settings', (value) => (isRecord(value) ? accepted(value) : null), { ...DEFAULTS });
}

export function saveSettings(store: TextStore, settings: Settings): void {
  write(store, 'settings', settings);
}

/** Every choice that has the type and range of its default; the default for the others. */
function accepted(value: Record<string, unknown>): Settings {
  const result: Record<string, unknown> = { ...DEFAULTS };
  for (const [key, usual] of Object.entries(DEFAULTS)) {
    if (typeof value[key] === typeof usual) result[key] = value[key];
  }
  const settings = result as unknown as Settings;
  if (!MODES.includes(settings.mode)) settings.mode = DEFAULTS.mode;
  if (!(Number.isInteger(settings.level) && settings.level > 0)) settings.level = DEFAULTS.level;
  if (!(Number.isInteger(settings.strength) && settings.strength >= MIXED_LEVELS))
    settings.strength = DEFAULTS.strength;
  if (!LIGHTS.includes(settings.light)) settings.light = DEFAULTS.light;
  if (!CAMERAS.includes(settings.camera)) settings.camera = DEFAULTS.camera;
  if (!LAP_CHOICES.some((laps) => laps === settings.laps)) settings.laps = DEFAULTS.laps;
  if (
    !(Number.isInteger(settings.opponents) && settings.opponents > 0 && settings.opponents <= MOST_OPPONENTS)
  )
    settings.opponents = DEFAULTS.opponents;
  if (!ORDERS.includes(settings.order)) settings.order = DEFAULTS.order;
  if (!(settings.volume >= 0 && settings.volume <= 1)) settings.volume = DEFAULTS.volume;
  if (!(settings.keySensitivity >= 0.5 && settings.keySensitivity <= 2))
    settings.keySensitivity = DEFAULTS.keySensitivity;
  settings.name = settings.name.slice(0, 24);
  return settings;
}
