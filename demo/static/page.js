// Runs before the first paint. It shows one of the two screens and handles the few keys and buttons that need no server.
// Gradio does not start if a browser refuses its storage. This stand-in keeps values for as long as the page is open.
try { window.localStorage.length; } catch {
  const kept = new Map();
  const storage = {getItem: key => kept.get(key) ?? null, setItem: (key, value) => { kept.set(key, value); }, removeItem: key => { kept.delete(key); }};
  Object.defineProperty(window, 'localStorage', {value: storage});
}
const root = document.documentElement;
const showView = name => { root.dataset.view = name; };
const locked = window.gradio_config.components.some(one => one.props.elem_id === 'locked');
showView(locked ? 'locked' : new URLSearchParams(window.location.search).get('run') ? 'run' : 'home');
let shown = new URLSearchParams(window.location.search).get('run') || '';
// A browser without a name makes one up, and Gradio stores it in the browser. The server never sends a name.
const name = Array.from(crypto.getRandomValues(new Uint8Array(16)), one => one.toString(16).padStart(2, '0')).join('');
window.gradio_config.components.filter(one => one.type === 'browserstate' && 'owner' in one.props.default_value)
  .forEach(one => { one.props.default_value = {owner: name}; });
// Gradio uses the default only if the browser has stored nothing. What an earlier version stored may lack a name.
const withName = stored => stored?.owner ? stored : {...stored, owner: name};
window.named = withName;
let wishes = 0;
window.wish = () => ++wishes;
// Returns what a press sends: the number of the wish, and the inputs, with the name added if Gradio does not know it yet.
// The stored name is the only input that is an object.
window.wished = (_, ...asked) => [window.wish(), ...asked.map(one => one?.constructor === Object ? withName(one) : one)];
// Shows a run, which comes with the number of the wish that it answers. It stays hidden if there is a newer wish.
window.showRun = (run, wish = window.wish()) => {
  if (wish < wishes) return;
  const address = new URL(window.location);
  delete root.dataset.drawer;
  if ((address.searchParams.get('run') || '') !== run) {
    if (run) address.searchParams.set('run', run); else address.searchParams.delete('run');
    window.history[wish ? 'pushState' : 'replaceState'](window.history.state, '', address);
    window.scrollTo({top: 0});
  }
  // The address does not tell what was shown, because Back and Forward have changed it by now.
  if (shown !== run) {
    window.editing(false);
    document.getElementById('compare-close')?.click();
  }
  shown = run;
  showView(run ? 'run' : 'home');
};
// Back and Forward open a run in the way the list does, even one that is only hidden: the page has dropped its id, which
// the buttons of the run send.
window.addEventListener('popstate', () => {
  const run = new URLSearchParams(window.location.search).get('run') || '';
  if (!run) { window.showRun(''); return; }
  const link = document.createElement('button');
  link.dataset.do = 'select';
  link.dataset.name = run;
  document.querySelector('#history [id^="html-"]').append(link);
  link.click();
  link.remove();
});
window.editing = open => { if (open) root.dataset.editing = 'yes'; else delete root.dataset.editing; };
const kept = 'self-healing-code-agent-choices';
window.keepChoices = now => { try { localStorage.setItem(kept, JSON.stringify(now)); } catch { /* this browser stores nothing */ } };
window.keptChoices = now => {
  let was = null;
  try { was = JSON.parse(localStorage.getItem(kept)); } catch { return now; }
  const provider = window.gradio_config.components.find(one => one.props.elem_id === 'provider');
  const offered = was && was.length === now.length && provider.props.choices.some(one => one[1] === was[0]);
  return offered ? was : now;
};
let said = 0;
const say = (words, milliseconds = 2500) => {
  const box = document.getElementById('told');
  clearTimeout(said);
  if (box) { box.textContent = words; said = setTimeout(() => { box.textContent = ''; }, milliseconds); }
};
document.addEventListener('keydown', event => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && event.target.closest('#card')) {
    event.preventDefault();
    document.getElementById('run').click();
  }
  if (event.key === 'Escape' && root.dataset.drawer) delete root.dataset.drawer;
});
// Without this, Gradio would send files that are too large, and then show "Error" in place of the field.
const most = window.gradio_config.max_file_size;
['change', 'drop'].forEach(kind => document.addEventListener(kind, event => {
  const files = Array.from((event.dataTransfer || event.target).files || []);
  if (!event.target.closest('#data, #answer-files') || files.reduce((sum, one) => sum + one.size, 0) <= most) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (kind === 'change') event.target.value = '';
  say(`Not added: ${files.length > 1 ? 'together the files are' : 'the file is'} larger than ${most >> 20} MB.`, 8000);
}, true));
document.addEventListener('submit', async event => {
  if (event.target.id !== 'key-form') return;
  event.preventDefault();
  const answer = await fetch('pass', {
    method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({key: event.target.key.value}),
  });
  if (answer.ok) window.location.reload();
  else event.target.querySelector('.key-told').textContent = (await answer.json()).error;
});
const programOf = code => code.dataset.program ? JSON.parse(code.dataset.program) : code.textContent;
document.addEventListener('click', async event => {
  const copy = event.target.closest('[data-copy], [data-copy-link]');
  if (copy) {
    const picked = [...document.querySelectorAll('#program input[name=attempt]')].find(one => one.checked);
    const shown = picked && picked.dataset.key === 'output' ? document.getElementById('tab-' + copy.dataset.copy) : picked;
    const code = shown && shown.nextElementSibling.nextElementSibling.querySelector('code');
    const text = copy.dataset.copyLink ? new URL(copy.dataset.copyLink, window.location).href : code ? programOf(code) : '';
    await navigator.clipboard.writeText(text);
    say(copy.dataset.copyLink ? 'Link copied.' : 'Code copied.');
  }
  if (event.target.closest('.skip')) {
    event.preventDefault();
    document.querySelector(root.dataset.view === 'run' ? '#program [tabindex="0"]' : '#task textarea').focus();
  }
  const theme = event.target.closest('[data-theme-toggle]');
  if (theme) document.body.classList.toggle('dark');
  // While the drawer is open, the root element has this mark, too. Only a button or a click beside the drawer closes it.
  const drawer = event.target.closest('body [data-drawer]');
  if (root.dataset.drawer) { if (drawer || !event.composedPath().includes(document.getElementById('drawer'))) delete root.dataset.drawer; }
  else if (drawer) root.dataset.drawer = 'open';
});
// Plots name their parts for screen readers, except for the groups that hold the parts.
const nameParts = () => document.querySelectorAll('svg :is([role=img], [role=graphics-symbol], [role=graphics-document]):not([aria-label])')
  .forEach(one => one.setAttribute('aria-label', one.getAttribute('aria-roledescription') || 'Part of the plot'));
if (window.location.pathname.endsWith('/insights')) new MutationObserver(nameParts).observe(document, {childList: true, subtree: true, attributeFilter: ['role', 'aria-label']});
setInterval(() => {
  if (document.getElementById('intro')) document.getElementById('early')?.remove();
  document.querySelectorAll('[data-clock]').forEach(one => {
    one.seen = one.seen || Date.now();
    const seconds = Number(one.dataset.clock) + (Date.now() - one.seen) / 1000;
    one.textContent = seconds < 60 ? `${seconds.toFixed(0)} s` : `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  });
}, 1000);
