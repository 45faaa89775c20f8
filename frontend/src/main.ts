/** Where the page begins: fetch the world, show the menu, then bring the picture and the drivers after it. */
import './style/index.css';
import { Game } from './game/game';
import { Kernel, type KernelFile } from './physics/kernel';
import { Catalogue } from './race/catalogue';
import { Garage } from './race/garage';
import { fetchBytes, fetchJson, fetchPolicies, type Site, type TrackSummary } from './site/data';
import { DEFAULTS, loadSettings, type Settings } from './site/settings';
import { Stats } from './site/stats';
import { pageStore, type TextStore } from './site/storage';
import { failure } from './ui/failure';
import { Progress } from './ui/progress';
import { Sound } from './ui/sound';

declare global {
  interface Window {
    /** Let a recorded drive (base64, three bytes a tick) take the player's wheel. */
    hotlapDrive: (inputs: string) => void;
  }
}

async function loadCatalogue(): Promise<{ catalogue: Catalogue; kernel: Kernel }> {
  const [site, kernelFile, wasm, tracks, policies] = await Promise.all([
    fetchJson<Site>('data/site.json'),
    fetchJson<KernelFile>('data/kernel.json'),
    fetchBytes('data/racer.wasm', 'the physics'),
    fetchJson<{ format: number; tracks: TrackSummary[] }>('data/tracks.json'),
    fetchPolicies(['racer', 'race']),
  ]);
  const kernel = await Kernel.compile(kernelFile, wasm);
  return { kernel, catalogue: new Catalogue(site, kernel, tracks.tracks, policies) };
}

/** The player's choices, with what the server was asked to start with where the player has none. */
function startingSettings(store: TextStore, catalogue: Catalogue): Settings {
  const settings = loadSettings(store);
  const { start } = catalogue.site;
  if (start.track && (catalogue.startRun || settings.track === DEFAULTS.track)) settings.track = start.track;
  Object.assign(settings, catalogue.startRace());
  const first = catalogue.tracks.find(({ id }) => id === settings.track);
  if (first && !first.cars.includes(settings.car)) settings.car = first.cars[0]!;
  settings.car = catalogue.car(settings.car).id;
  settings.track = catalogue.track(settings.track, settings.car).id;
  const system = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  settings.reduceMotion ||= system;
  return settings;
}

async function boot(stats: Stats): Promise<void> {
  const surface = document.querySelector<HTMLElement>('#surface')!;
  const canvas = document.querySelector<HTMLCanvasElement>('#scene')!;
  const progress = new Progress();
  document.querySelector('#loading')?.append(progress.root);
  progress.show(null);
  const picture = import('./view/picture-loader');
  const { catalogue, kernel } = await loadCatalogue();
  const store = pageStore();
  const settings = startingSettings(store, catalogue);
  const sound = new Sound();
  sound.setVolume(settings.volume, settings.muted);
  const game = new Game({ catalogue, garage: new Garage(kernel), settings, store, sound, stats, surface });
  window.hotlapDrive = (inputs) => game.driveFrom(inputs);
  document.querySelector('#loading')?.remove();
  void game.open();
  const { picture: ready, kind } = await (await picture).loadPicture(canvas);
  stats.renderer = kind;
  game.setPicture(ready);
  stats.playableMs = performance.now();
  document.body.dataset.ready = '';
}

window.hotlapStats = new Stats();
boot(window.hotlapStats).catch(failure);
