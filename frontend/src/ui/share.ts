/** Handing a link over: to the clipboard, or where there is none in a field to copy it from. */
import { openDialog } from './dialogs';
import { h } from './dom';

const SAID_MS = 2200;

/** Copy the link that a button stands for, and say so on it. */
export async function copyLink(button: HTMLButtonElement, address: Promise<string>): Promise<void> {
  const before = button.textContent;
  const link = await address;
  try {
    await navigator.clipboard.writeText(link);
  } catch {
    showLink(link);
    return;
  }
  button.textContent = 'Link copied';
  setTimeout(() => {
    button.textContent = before;
  }, SAID_MS);
}

function showLink(link: string): void {
  const field = h('input', { type: 'text', readonly: true, value: link, 'aria-label': 'Link to this race' });
  const done = h('button', { type: 'button', class: 'primary' }, 'Done');
  const dialog = openDialog('link', 'Copy this link', () => {}, field, h('div', { class: 'row' }, done));
  done.addEventListener('click', () => dialog.close());
  field.select();
}
