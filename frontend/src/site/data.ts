/** The files the page is given (docs/web.md), fetched from beside the page and checked for their format. */

import { downloads } from './downloads';

export type Point = [number, number];
/** What a driver sees of its own car and the road; those of the highway say 'highway', which no page reads. */
export type LayoutName = 'classic' | 'full' | 'grip' | 'grip-car';
/** The same, and the other cars of a race. */
export type RaceLayoutName = `race-${LayoutName}`;
export type SeenLayout = LayoutName | RaceLayoutName;

export function isRaceLayout(layout: SeenLayout): layout is RaceLayoutName {
  return layout.startsWith('race-');
}

export function raceLayout(layout: LayoutName): RaceLayoutName {
  return `race-${layout}`;
}

/** What of a layout is seen of the own car and the road. */
export function aloneLayout(layout: SeenLayout): LayoutName {
  return layout.replace(/^race-/, '') as LayoutName;
}

export interface Site {
  format: number;
  hotlap: string;
  server: boolean;
  start: { run: string | null; track: string | null };
}

export interface TrackSummary {
  id: string;
  name: string;
  length_u: number;
  direction: string;
  /** The ids of the cars that drive here. */
  cars: string[];
  /** Ticks of the reference lap of each car that has one. */
  reference_ticks: Record<string, number>;
  outline: Point[];
  half_width_u: number;
}

/** A lap to measure others against, from tick to tick or in larger steps. */
export interface Reference {
  ticks: number;
  /** From the grid; null where nobody drove that. */
  standing_ticks: number | null;
  every_ticks: number;
  x_u: number[];
  y_u: number[];
  speed_ups: number[];
}

export interface TrackFile {
  format: number;
  id: string;
  name: string;
  length_u: number;
  /** Whether a unit is a metre. */
  true_scale: boolean;
  start: { x_u: number; y_u: number; heading_rad: number };
  tables: { bytes: number; fields: Record<string, { offset: number; dtype: string; count: number }> };
  lines: Record<'centre' | 'inner_wall' | 'outer_wall' | 'inner_road_edge' | 'outer_road_edge', Point[]>;
  widths: { half_width_u: number[]; shoulder_width_u: number };
  gates: { left: Point[]; right: Point[]; centre: Point[]; direction: Point[]; arc_u: number[] };
  /** By car. */
  references: Record<string, Reference>;
}

export type WorldName = 'racer' | 'race' | 'highway';

export interface RunEntry {
  key: string;
  name: string;
  world: WorldName;
  state: 'training' | 'stopped' | 'finished';
  step: number;
  steps: number;
  algorithm: string;
  tracks: string[];
  layout: SeenLayout;
  cars: string[];
}

export interface PolicyEntry {
  key: string;
  kind: 'best' | 'checkpoint' | 'bundled';
  run: string | null;
  name: string;
  world: WorldName;
  step: number;
  layout: SeenLayout;
  tracks: string[];
  /** The ids of the cars it learned to drive, and what helped it. */
  cars: string[];
  assists: { traction_control: boolean; anti_lock: boolean };
  fingerprint: string;
  bytes: number;
  laps: Record<string, number>;
  /** What its evaluation said: the larger is the better, the first difference decides; empty without one. */
  score: number[];
  /** For how long it had been trained, where that is known. */
  trained_s: number | null;
  problem: string | null;
}

/** What a level takes from a driver. */
export interface Level {
  /** How long ago it saw what it acts on. */
  late_ticks: number;
  /** The share that it gives of the throttle it would give. */
  throttle: number;
}

export interface PolicyList {
  runs: RunEntry[];
  policies: PolicyEntry[];
  /** Levels that any driver can be raced at, the weakest first. */
  levels: Level[];
}

export const NOBODY: PolicyList = { runs: [], policies: [], levels: [] };

/** One track with everything that the physics and the picture need. */
export interface Track {
  file: TrackFile;
  tables: ArrayBuffer;
}

export class DataError extends Error {}

const KNOWN_FORMAT = 1;

async function fetched(path: string): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path);
  } catch {
    throw new DataError(
      `${path} could not be fetched: the server does not answer. Start it again and reload.`,
    );
  }
  if (!response.ok)
    throw new DataError(`${path} could not be fetched: the server answered ${response.status}.`);
  return response;
}

/** A document; `name` is what the player is told of it while it comes. */
export async function fetchJson<T extends { format?: number }>(path: string, name = 'data'): Promise<T> {
  const bytes = await fetchBytes(path, name);
  const content = JSON.parse(new TextDecoder().decode(bytes)) as T;
  if (content.format !== KNOWN_FORMAT)
    throw new DataError(
      `${path} has format ${content.format}, and this page reads ${KNOWN_FORMAT}. Reload it.`,
    );
  return content;
}

export async function fetchBytes(path: string, name = 'data'): Promise<ArrayBuffer> {
  return downloads.read(await fetched(path), name);
}

/** The runs and drivers of some worlds; those known before when the list cannot be had. */
export async function fetchPolicies(worlds: WorldName[], before: PolicyList = NOBODY): Promise<PolicyList> {
  const all = await fetchJson<PolicyList & { format: number }>('data/policies.json').catch(() => before);
  const ours = (entry: { world: WorldName }) => worlds.includes(entry.world);
  return { runs: all.runs.filter(ours), policies: all.policies.filter(ours), levels: all.levels };
}

export async function fetchTrack(id: string): Promise<Track> {
  const [file, tables] = await Promise.all([
    fetchJson<TrackFile>(`data/tracks/${id}.json`, 'the picture of the track'),
    fetchBytes(`data/tracks/${id}.bin`, 'the physics of the track'),
  ]);
  return { file, tables };
}
