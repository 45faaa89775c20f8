/** What is shown when a page cannot begin. */

import { reasonOf } from '../site/reasons';
import { h } from './dom';

export function failure(error: unknown): void {
  const again = h('button', { type: 'button', class: 'primary', onclick: () => location.reload() }, 'Reload');
  const loading =
    document.querySelector('#loading') ?? document.body.appendChild(h('div', { id: 'loading' }));
  loading.replaceChildren(
    h('h1', {}, 'HOT', h('em', {}, 'LAP')),
    h('p', { role: 'alert' }, reasonOf(error)),
    again,
  );
}
