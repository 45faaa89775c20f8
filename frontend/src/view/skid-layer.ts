/** Rubber on the road, each mark a particle. */
import { Particle, ParticleContainer, Texture } from 'pixi.js';
import { type Effects, MOST_SKIDS } from './effects';
import type { Sight } from './sight';

/** No mark is longer. */
const REACH_U = 10;

export class SkidLayer {
  readonly root: ParticleContainer;
  /** Width of a tyre. */
  width = 0.75;
  colour = 0;
  private readonly marks: Particle[] = [];
  private drawn = 0;

  constructor() {
    const dynamicProperties = { vertex: true, position: true, rotation: true, color: true };
    this.root = new ParticleContainer({ dynamicProperties, texture: Texture.WHITE });
  }

  clear(): void {
    this.marks.length = 0;
    this.drawn = 0;
    this.root.particleChildren = [];
    this.root.update();
  }

  /** Add what is new, and show what is in sight: a plain canvas draws a mark nobody sees at the price of any other. */
  update({ skids, skidCount }: Effects, sight: Sight): void {
    if (skidCount < this.drawn) this.clear();
    for (; this.drawn < skidCount; this.drawn++) {
      const slot = this.drawn % MOST_SKIDS;
      const skid = skids[slot]!;
      this.marks[slot] ??= new Particle({ texture: Texture.WHITE, anchorX: 0, anchorY: 0.5 });
      const mark = this.marks[slot];
      mark.x = skid.x;
      mark.y = skid.y;
      mark.rotation = skid.angle;
      mark.scaleX = (skid.length * 1.15) / Texture.WHITE.width;
      mark.scaleY = this.width / Texture.WHITE.height;
      mark.tint = this.colour;
      mark.alpha = 0.55 * skid.strength;
    }
    this.root.particleChildren = this.marks.filter(({ x, y }) => sight.has(x, y, REACH_U));
    this.root.update();
  }
}
