// Runs in each panel. When the panel's text changes, it keeps what the person opened, picked, scrolled and focused. It also
// tells Gradio which button was pressed. Gradio provides `element`, `trigger` and `watch`.
const opened = new Map();
const picked = new Map();
const scrolled = new Map();
let focused = null;
let shown = null;
// What the person opened belongs to the run on the screen, because every run has groups with the same keys.
const ofRun = one => `${new URLSearchParams(window.location.search).get('run')} ${one.dataset.key}`;
const keyOf = one => one.dataset && (one.dataset.key || one.dataset.do || one.id);
element.addEventListener('change', event => {
  if (event.target.type === 'radio') picked.set(event.target.name, event.target.dataset.key);
});
element.addEventListener('scroll', event => {
  const box = event.target;
  const name = box.getAttribute && (box.getAttribute('aria-label') || box.className);
  if (name) scrolled.set(name, [box.scrollLeft, box.scrollTop, box.scrollTop + box.clientHeight >= box.scrollHeight - 30]);
}, true);
element.addEventListener('focusin', event => { focused = keyOf(event.target) || null; });
element.addEventListener('focusout', event => { if (event.relatedTarget) focused = null; });
element.addEventListener('click', event => {
  // This listens to the click instead of "toggle", because "toggle" is also sent for what the server opens.
  const fold = event.target.closest('summary')?.parentElement;
  if (fold?.dataset.key) opened.set(ofRun(fold), !fold.open);
  const button = event.target.closest('[data-do]');
  if (button && (event.ctrlKey || event.metaKey) && button.href) return;
  if (button && button.href) event.preventDefault();
  const tab = element.querySelector('input[name=attempt]:checked');
  if (button) trigger(button.dataset.do, {name: button.dataset.name || (tab ? tab.dataset.key : '')});
});
const settle = () => {
  element.querySelectorAll('details[data-key]').forEach(one => {
    if (opened.has(ofRun(one))) one.open = opened.get(ofRun(one));
  });
  // Gradio patches the page instead of replacing it, so what the new text marks as chosen must be set again.
  element.querySelectorAll('input[type=radio][checked]').forEach(one => { one.checked = true; });
  picked.forEach((key, group) => {
    const one = element.querySelector(`input[name="${group}"][data-key="${CSS.escape(key)}"]`);
    if (one) one.checked = true;
  });
  const run = element.querySelector('[data-run]');
  if (run && run.dataset.wish !== shown) window.showRun(run.dataset.run, Number(shown = run.dataset.wish));
  element.querySelectorAll('.writing-text').forEach(one => { one.scrollTop = one.scrollHeight; });
  element.querySelectorAll('.listing, .proof-body, .log').forEach(one => {
    const was = scrolled.get(one.getAttribute('aria-label') || one.className);
    if (!was) one.scrollTop = 0;
    else if (!one.classList.contains('writing-text')) [one.scrollLeft, one.scrollTop] = [was[0], was[2] && one.classList.contains('log') ? one.scrollHeight : was[1]];
  });
  if (focused && !element.contains(document.activeElement)) {
    const one = element.querySelector(`[data-key="${CSS.escape(focused)}"], [data-do="${CSS.escape(focused)}"], [id="${CSS.escape(focused)}"]`);
    if (one && document.activeElement === document.body) one.focus({preventScroll: true});
  }
};
watch('value', settle);
