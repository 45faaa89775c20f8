/** PixiJS and everything drawn with it, in a bundle of its own that comes after the menu. */
import { Picture } from './picture';
import { Scene } from './scene';

export async function loadPicture(canvas: HTMLCanvasElement): Promise<{ picture: Picture; kind: string }> {
  const wanted = new URLSearchParams(location.search).get('renderer');
  const scene = await Scene.create(canvas, wanted);
  return { picture: new Picture(scene, canvas), kind: scene.kind };
}
