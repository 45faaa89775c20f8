/** The real highway for tests, without a page. */
import { type DriveListener, HighwayDrive, type MissionRecord } from '../../src/highway/drive';
import { type HighwayFile, Road } from '../../src/highway/road';
import { siteBytes, siteJson } from '../site';

export function loadRoad(): Promise<Road> {
  return Road.compile(
    siteJson<HighwayFile>('highway.json'),
    siteBytes('highway.wasm'),
    siteBytes('highway-scenes.bin'),
  );
}

export interface Told {
  drive: HighwayDrive;
  ended: MissionRecord[];
  replaced: MissionRecord[];
  fallbacks: string[];
  crashes: boolean[];
}

/** A drive in a scene with so many vehicles around, and all it tells. */
export async function driving(scene: number, vehicles: number): Promise<Told> {
  const told = { ended: [], replaced: [], fallbacks: [], crashes: [] } as unknown as Told;
  const listener: DriveListener = {
    ended: (record) => told.ended.push(record),
    replaced: (record) => told.replaced.push(record),
    fellBack: (reason) => told.fallbacks.push(reason),
    crashed: (byEgo) => told.crashes.push(byEgo),
  };
  told.drive = new HighwayDrive(await loadRoad(), listener);
  told.drive.begin(scene, vehicles);
  return told;
}

export async function decisions(drive: HighwayDrive, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await drive.decide();
}
