/** Keyboard, gamepad and touch as one set of controls, sampled once per frame. */
import type { Controls } from '../physics/kernel';

/** What the player's devices say: keys only know left and right, sticks and fingers how far. */
export interface Hands {
  /** -1 left, 1 right. */
  keys: number;
  steer: number;
  throttle: number;
  brake: number;
}

export const HANDS_OFF: Hands = { keys: 0, steer: 0, throttle: 0, brake: 0 };

export type Command = 'pause' | 'restart' | 'mute' | 'fullscreen';

const KEYS: Record<string, keyof Held> = {
  ArrowLeft: 'left',
  KeyA: 'left',
  ArrowRight: 'right',
  KeyD: 'right',
  ArrowUp: 'throttle',
  KeyW: 'throttle',
  ArrowDown: 'brake',
  KeyS: 'brake',
  Space: 'brake',
};
const COMMANDS: Record<string, Command> = {
  Escape: 'pause',
  KeyP: 'pause',
  KeyR: 'restart',
  KeyM: 'mute',
  KeyF: 'fullscreen',
};
const PAD_COMMANDS: Record<number, Command> = { 9: 'pause', 8: 'restart' };
const DEAD_ZONE = 0.1;
const FULL_LOCK_PX = 64;
const BRAKE_FROM_HEIGHT = 0.62;

interface Held {
  left: boolean;
  right: boolean;
  throttle: boolean;
  brake: boolean;
}

interface Finger {
  side: 'left' | 'right';
  startX: number;
  x: number;
  y: number;
}

export class Input {
  /** Whether keys drive a car; in menus they belong to the menu. */
  active = false;
  onCommand: (command: Command) => void = () => {};
  onTouch: () => void = () => {};
  private readonly held: Held = { left: false, right: false, throttle: false, brake: false };
  private readonly fingers = new Map<number, Finger>();
  private padButtons: boolean[] = [];

  constructor(surface: HTMLElement) {
    window.addEventListener('keydown', (event) => this.key(event, true));
    window.addEventListener('keyup', (event) => this.key(event, false));
    window.addEventListener('blur', () => this.letGo());
    surface.addEventListener('pointerdown', (event) => this.down(event));
    surface.addEventListener('pointermove', (event) => this.move(event));
    for (const end of ['pointerup', 'pointercancel', 'lostpointercapture'] as const)
      surface.addEventListener(end, (event) => this.fingers.delete(event.pointerId));
  }

  /** What the player asks for now: the strongest of every device. */
  sample(): Hands {
    const pad = this.pad();
    const touch = this.touch();
    return {
      keys: Number(this.held.right) - Number(this.held.left),
      steer: strongest(pad.steer, touch.steer),
      throttle: Math.max(Number(this.held.throttle), pad.throttle, touch.throttle),
      brake: Math.max(Number(this.held.brake), pad.brake, touch.brake),
    };
  }

  letGo(): void {
    Object.assign(this.held, { left: false, right: false, throttle: false, brake: false });
    this.fingers.clear();
  }

  private key(event: KeyboardEvent, down: boolean): void {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const control = KEYS[event.code];
    if (control && (this.active || !down)) {
      this.held[control] = down;
      if (this.active) event.preventDefault();
    }
    const command = COMMANDS[event.code];
    if (command && down && !event.repeat) this.onCommand(command);
  }

  private pad(): Controls {
    const pad = navigator.getGamepads?.().find((one) => one?.connected);
    if (!pad) return { steer: 0, throttle: 0, brake: 0 };
    const pressed = pad.buttons.map((button) => button.pressed);
    for (const [number, command] of Object.entries(PAD_COMMANDS))
      if (pressed[Number(number)] && !this.padButtons[Number(number)]) this.onCommand(command);
    this.padButtons = pressed;
    const axis = pad.axes[0] ?? 0;
    const steer = Math.abs(axis) < DEAD_ZONE ? 0 : (axis - Math.sign(axis) * DEAD_ZONE) / (1 - DEAD_ZONE);
    const value = (number: number) => pad.buttons[number]?.value ?? 0;
    return { steer, throttle: Math.max(value(7), value(0)), brake: Math.max(value(6), value(1)) };
  }

  private down(event: PointerEvent): void {
    if (event.pointerType === 'mouse' || !this.active) return;
    const side = event.clientX < window.innerWidth / 2 ? 'left' : 'right';
    this.fingers.set(event.pointerId, {
      side,
      startX: event.clientX,
      x: event.clientX,
      y: event.clientY,
    });
    this.onTouch();
    event.preventDefault();
  }

  private move(event: PointerEvent): void {
    const finger = this.fingers.get(event.pointerId);
    if (!finger) return;
    finger.x = event.clientX;
    finger.y = event.clientY;
  }

  /** The left half steers by how far the finger went sideways; the right half is throttle above, brake below. */
  private touch(): Controls {
    const controls = { steer: 0, throttle: 0, brake: 0 };
    for (const finger of this.fingers.values()) {
      if (finger.side === 'left')
        controls.steer = Math.max(-1, Math.min(1, (finger.x - finger.startX) / FULL_LOCK_PX));
      else if (finger.y > window.innerHeight * BRAKE_FROM_HEIGHT) controls.brake = 1;
      else controls.throttle = 1;
    }
    return controls;
  }
}

function strongest(...values: number[]): number {
  return values.reduce((best, value) => (Math.abs(value) > Math.abs(best) ? value : best), 0);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName))
  );
}
