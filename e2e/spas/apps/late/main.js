// An app between a head and a foot that are there before it: it begins two seconds after the page has loaded.
const root = document.getElementById('root');

async function begin() {
  const articles = await (await fetch('/api/articles?wait=200')).json();
  document.title = 'What came late';
  root.innerHTML = '<h1>What came late</h1>' + articles.map((one) => `<h2>${one.title}</h2><p>${one.summary}</p>`).join('');
}

addEventListener('load', () => setTimeout(begin, 2000));
