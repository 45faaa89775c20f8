/** Where orders are written and spoken: the box, push-to-talk, and a note on what it takes to read them. */
import type { Download } from '../site/downloads';
import { h, setClass, setText } from '../ui/dom';
import { arrivedText } from '../ui/format';
import type { ReadingState } from './order-reader';
import type { Units } from './units';

const READS_ITSELF = 'Python in this page reads your words: 12 MB, fetched when you type.';

export interface OrderBoxActions {
  order(text: string): void;
  /** Somebody is about to write an order. */
  typing(): void;
  talk(on: boolean): void;
}

export interface OrderBoxOptions {
  hasServer: boolean;
  voiceObstacle: string | null;
}

export class OrderBox {
  readonly form: HTMLFormElement;
  readonly note = h('p', { class: 'muted', 'data-testid': 'order-note' });
  private readonly box = h('input', {
    type: 'text',
    id: 'order',
    maxlength: 400,
    autocomplete: 'off',
    'aria-label': 'Order',
  });
  private readonly talkButton: HTMLButtonElement;

  constructor(
    private readonly actions: OrderBoxActions,
    private readonly options: OrderBoxOptions,
  ) {
    this.talkButton = this.pushToTalk();
    this.form = h(
      'form',
      { class: 'hw-order' },
      this.box,
      h('button', { class: 'primary', type: 'submit' }, 'Send'),
      this.talkButton,
    );
    this.form.addEventListener('submit', (event) => this.send(event));
    this.box.addEventListener('focus', () => actions.typing());
    this.setReading(options.hasServer ? 'ready' : 'asleep');
  }

  setUnits(units: Units): void {
    this.box.placeholder = `“move one lane left”, “cruise at ${units === 'mph' ? 62 : 100}, keep three seconds”, “pull over”…`;
  }

  setListening(on: boolean): void {
    setClass(this.talkButton, 'on', on);
    setText(this.talkButton, on ? 'Listening…' : 'Hold to talk');
  }

  /** Say what it takes to read an order. */
  setReading(state: ReadingState): void {
    const { voiceObstacle } = this.options;
    const reading = { asleep: READS_ITSELF, ready: '' };
    const text = typeof state === 'string' ? reading[state] : startingText(state);
    setText(this.note, [text, voiceObstacle].filter(Boolean).join(' '));
  }

  private send(event: Event): void {
    event.preventDefault();
    if (this.box.value.trim()) this.actions.order(this.box.value);
    this.box.value = '';
  }

  private pushToTalk(): HTMLButtonElement {
    const { voiceObstacle } = this.options;
    const button = h(
      'button',
      { type: 'button', class: 'hw-talk', disabled: voiceObstacle !== null, title: voiceObstacle },
      'Hold to talk',
    );
    const begin = (event: Event) => {
      event.preventDefault();
      this.actions.talk(true);
    };
    const isKey = (event: KeyboardEvent) => event.key === ' ' || event.key === 'Enter';
    button.addEventListener('pointerdown', begin);
    for (const name of ['pointerup', 'pointercancel', 'pointerleave', 'blur'])
      button.addEventListener(name, () => this.actions.talk(false));
    button.addEventListener('keydown', (event) => isKey(event) && !event.repeat && begin(event));
    button.addEventListener('keyup', (event) => isKey(event) && this.actions.talk(false));
    return button;
  }
}

function startingText(list: Download[]): string {
  const parts = list.map(({ name, received, total }) => `${name}, ${arrivedText(received, total)}`);
  return `Starting Python: ${parts.join('; ') || 'one moment'}.`;
}
