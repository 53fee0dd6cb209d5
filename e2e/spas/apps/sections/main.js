// Sections that load when they come into view, pictures that load late and fade in, a feed without an end.
document.title = 'A walk through the house';
const style = document.createElement('style');
style.textContent = `section { min-height: 700px; } .reveal { opacity: 0; transition: opacity 0.5s; } .reveal.seen { opacity: 1; }
  img { opacity: 0; transition: opacity 0.3s; } img.there { opacity: 1; } #top-link { position: fixed; right: 8px; bottom: 8px; } nav a.current { font-weight: bold; }`;
document.head.append(style);

const rooms = [['palms', 'The palm room'], ['ferns', 'The fern room'], ['orchids', 'The orchid room'], ['cacti', 'The dry room']];
const root = document.getElementById('root');
root.innerHTML = `<nav>${rooms.map(([id, name]) => `<a href="#${id}">${name}</a>`).join(' ')}</nav><h1 class="reveal">A walk through the house</h1>
  ${rooms.map(([id, name], i) => `<section id="${id}" data-room="${i}"><h2 class="reveal">${name}</h2><div class="body">This room is still dark.</div><img data-src="/pictures/${id}.jpg" alt="${name}" width="400" height="300"></section>`).join('')}
  <div id="feed"></div><div id="sentinel"></div>`;

const reveal = new IntersectionObserver((entries) => entries.forEach((entry) => entry.target.classList.toggle('seen', entry.isIntersecting || entry.target.classList.contains('seen'))), { threshold: 0.1 });
document.querySelectorAll('.reveal').forEach((element) => reveal.observe(element));

const articles = await (await fetch('/api/articles')).json();
const load = new IntersectionObserver((entries, self) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    self.unobserve(entry.target);
    const { id } = articles[entry.target.dataset.room];
    fetch(`/api/articles/${id}`).then((answer) => answer.json()).then(({ paragraphs }) => {
      entry.target.querySelector('.body').innerHTML = paragraphs.map((text) => `<p>${text}</p>`).join('');
    });
  }
}, { rootMargin: '200px' });
document.querySelectorAll('section').forEach((element) => load.observe(element));

const pictures = new IntersectionObserver((entries, self) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    self.unobserve(target);
    target.onload = () => target.classList.add('there');
    target.onerror = target.onload;
    target.src = target.dataset.src;
  }
});
document.querySelectorAll('img').forEach((element) => pictures.observe(element));

const current = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) if (isIntersecting) document.querySelectorAll('nav a').forEach((link) => link.classList.toggle('current', link.hash === `#${target.id}`));
}, { rootMargin: '-10% 0px -80% 0px' });
document.querySelectorAll('section').forEach((element) => current.observe(element));
