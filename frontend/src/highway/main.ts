/** Where the highway page begins: fetch the world, then drive. */
import '../style/index.css';
import '../style/highway.css';
import { fetchBytes, fetchJson, type Site } from '../site/data';
import { Stats } from '../site/stats';
import { pageStore } from '../site/storage';
import { failure } from '../ui/failure';
import { HighwayPage } from './page';
import { type HighwayFile, Road } from './road';

declare global {
  interface Window {
    /** Begin a certain scene with so many vehicles. */
    hotlapScene: (scene: number, vehicles: number) => void;
  }
}

async function boot(stats: Stats): Promise<void> {
  const [site, file, wasm, scenes] = await Promise.all([
    fetchJson<Site>('data/site.json'),
    fetchJson<HighwayFile>('data/highway.json'),
    fetchBytes('data/highway.wasm'),
    fetchBytes('data/highway-scenes.bin'),
  ]);
  const page = new HighwayPage(await Road.compile(file, wasm, scenes), site, pageStore(), stats);
  window.hotlapScene = (scene, vehicles) => page.begin(scene, vehicles);
  document.querySelector('#loading')?.remove();
  document.body.dataset.screen = 'highway';
  await page.open();
  stats.playableMs = performance.now();
  document.body.dataset.ready = '';
}

window.hotlapStats = new Stats();
boot(window.hotlapStats).catch(failure);
