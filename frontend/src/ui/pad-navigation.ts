/** A gamepad in menus and dialogs: stick and cross move the focus, A presses, B goes back. */

const A = 0;
const B = 1;
const CROSS = { up: 12, down: 13, left: 14, right: 15 } as const;
const FOCUSABLE = 'button:not(:disabled), a[href], select, input:not(:disabled)';
const TILT = 0.6;
/** How long a direction is held until it moves again, first and then, in milliseconds. */
const FIRST_REPEAT_MS = 400;
const NEXT_REPEAT_MS = 130;
/** A place aside costs this many times what one straight ahead costs. */
const ASIDE = 8;
/** Farther aside than this many times ahead is another direction. */
const WIDEST = 2;
const TIE = 0.05;

export type Direction = keyof typeof CROSS;
export type Box = Pick<DOMRect, 'left' | 'right' | 'top' | 'bottom'>;

const STEPS: Record<Direction, [number, number]> = {
  up: [0, -1],
  down: [0, 1],
  left: [-1, 0],
  right: [1, 0],
};

/** The box to go to from another in a direction: the nearest, straight ahead before aside; -1 where there is none. */
export function nearest(from: Box, boxes: Box[], direction: Direction): number {
  const [stepX, stepY] = STEPS[direction];
  const middle = (box: Box) => [(box.left + box.right) / 2, (box.top + box.bottom) / 2] as const;
  const [x, y] = middle(from);
  const costs = boxes.map((box) => {
    const [toX, toY] = middle(box);
    const ahead = (toX - x) * stepX + (toY - y) * stepY;
    const apart = Math.abs((toX - x) * stepY) + Math.abs((toY - y) * stepX);
    const aside =
      stepX === 0
        ? between(from.left, from.right, box.left, box.right)
        : between(from.top, from.bottom, box.top, box.bottom);
    if (ahead <= 1 || aside > WIDEST * ahead) return Number.POSITIVE_INFINITY;
    return ahead + (aside > 0 ? ASIDE : TIE) * apart;
  });
  const least = Math.min(...costs);
  return Number.isFinite(least) ? costs.indexOf(least) : -1;
}

/** The room between two stretches; none where they overlap. */
function between(from: number, to: number, otherFrom: number, otherTo: number): number {
  return Math.max(0, otherFrom - to, from - otherTo);
}

export class PadNavigation {
  /** B, where no dialog is open to be closed. */
  onBack: () => void = () => {};
  private pressed: boolean[] = [];
  private held: Direction | null = null;
  private repeatsAt = 0;

  /** Look at the pad once per frame; unless `active`, only what is held is remembered. */
  poll(active: boolean, nowMs: number): void {
    const pad = navigator.getGamepads?.().find((one) => one?.connected);
    if (!pad) return;
    const pressed = pad.buttons.map((button) => button.pressed);
    const fresh = (button: number) => active && pressed[button] && !this.pressed[button];
    const direction = this.due(directionOf(pad, pressed), nowMs);
    if (active && direction) move(direction);
    if (fresh(A)) press();
    if (fresh(B)) this.back();
    this.pressed = pressed;
  }

  /** A direction when it is new, and again every so often while it is held. */
  private due(direction: Direction | null, nowMs: number): Direction | null {
    const isNew = direction !== this.held;
    this.held = direction;
    if (!direction || (!isNew && nowMs < this.repeatsAt)) return null;
    this.repeatsAt = nowMs + (isNew ? FIRST_REPEAT_MS : NEXT_REPEAT_MS);
    return direction;
  }

  private back(): void {
    const dialog = openDialogs().at(-1);
    if (dialog) dialog.close();
    else this.onBack();
  }
}

function directionOf(pad: Gamepad, pressed: boolean[]): Direction | null {
  for (const [name, button] of Object.entries(CROSS)) if (pressed[button]) return name as Direction;
  const [x = 0, y = 0] = pad.axes;
  if (Math.max(Math.abs(x), Math.abs(y)) < TILT) return null;
  if (Math.abs(x) > Math.abs(y)) return x > 0 ? 'right' : 'left';
  return y > 0 ? 'down' : 'up';
}

function openDialogs(): HTMLDialogElement[] {
  return [...document.querySelectorAll<HTMLDialogElement>('dialog[open]')];
}

/** What can be reached now: of the topmost dialog, or of the page. */
function reachable(): HTMLElement[] {
  const within = openDialogs().at(-1) ?? document.body;
  return [...within.querySelectorAll<HTMLElement>(FOCUSABLE)].filter((one) => one.offsetParent !== null);
}

/** Radio buttons and switches are drawn by what stands beside them: their label is where they are. */
function boxOf(element: HTMLElement): Box {
  return (element.closest('label') ?? element).getBoundingClientRect();
}

function move(direction: Direction): void {
  const all = reachable();
  const current = all.find((one) => one === document.activeElement);
  if (!current) {
    focus(all[0]);
    return;
  }
  if (adjust(current, direction)) return;
  const others = all.filter((one) => one !== current);
  focus(others[nearest(boxOf(current), others.map(boxOf), direction)]);
}

function focus(element: HTMLElement | undefined): void {
  element?.focus({ focusVisible: true } as FocusOptions);
  (element?.closest('label') ?? element)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

/** Left and right turn what has a value of its own. */
function adjust(element: HTMLElement, direction: Direction): boolean {
  const step = STEPS[direction][0];
  if (step === 0) return false;
  if (element instanceof HTMLSelectElement) {
    const place = Math.min(element.options.length - 1, Math.max(0, element.selectedIndex + step));
    if (!element.options[place]?.disabled) element.selectedIndex = place;
  } else if (element instanceof HTMLInputElement && element.type === 'range') {
    if (step > 0) element.stepUp();
    else element.stepDown();
  } else return false;
  element.dispatchEvent(new Event('input', { bubbles: true }));
  element.dispatchEvent(new Event('change', { bubbles: true }));
  return true;
}

function press(): void {
  const current = document.activeElement;
  if (current instanceof HTMLElement && current !== document.body) current.click();
  else focus(reachable()[0]);
}
