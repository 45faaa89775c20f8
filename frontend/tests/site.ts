/** The files of a site for tests: written by `hotlap export site` (see global-setup.ts). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Kernel, type KernelFile } from '../src/physics/kernel';
import { type DriverFile, NetworkKernel } from '../src/physics/network-kernel';
import { type RaceFile, RaceKernel } from '../src/physics/race-kernel';
import type { PolicyList, Track, TrackFile } from '../src/site/data';

export const SITE = process.env.HOTLAP_SITE ?? '';

export function siteBytes(path: string): ArrayBuffer {
  const content = readFileSync(join(SITE, 'data', path));
  return content.buffer.slice(content.byteOffset, content.byteOffset + content.byteLength) as ArrayBuffer;
}

export function siteJson<T>(path: string): T {
  return JSON.parse(readFileSync(join(SITE, 'data', path), 'utf8')) as T;
}

export function loadTrack(id: string): Track {
  return { file: siteJson<TrackFile>(`tracks/${id}.json`), tables: siteBytes(`tracks/${id}.bin`) };
}

export function loadKernel(): Promise<Kernel> {
  return Kernel.compile(siteJson<KernelFile>('kernel.json'), siteBytes('racer.wasm'));
}

export async function loadRaceKernel(): Promise<RaceKernel> {
  return RaceKernel.compile(siteJson<RaceFile>('race.json'), siteBytes('race.wasm'), await loadKernel());
}

export function loadPolicies(): PolicyList {
  return siteJson<PolicyList>('policies.json');
}

export function loadNetworkKernel(): Promise<NetworkKernel> {
  return NetworkKernel.compile(siteJson<DriverFile>('driver.json'), siteBytes('driver.wasm'));
}
