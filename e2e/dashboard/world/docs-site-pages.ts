// What every page of the made site shares: its frame, its style, and the script that draws the pages which have no HTML of their own.

export const STYLE = `
body { margin: 0; font: 17px/1.6 system-ui, "DejaVu Sans", sans-serif; color: #1d2433; background: #fff; }
header { display: flex; gap: 28px; align-items: center; padding: 18px 48px; background: #14213d; }
header a { color: #fff; text-decoration: none; } header a:first-child { font-weight: 700; font-size: 20px; }
main, #app { max-width: 920px; margin: 40px auto; padding: 0 32px; }
h1 { font-size: 40px; line-height: 1.2; margin: 0 0 20px; } h2 { margin-top: 40px; }
ul { padding-left: 20px; columns: 2; } a { color: #1f5fbf; }
.plans { display: grid; grid-template-columns: repeat(3, 1fr); gap: 20px; margin-top: 32px; }
.plan { border: 1px solid #d5dbe8; border-radius: 12px; padding: 24px; } .plan b { font-size: 34px; display: block; }
.plan button { margin-top: 20px; width: 100%; padding: 12px; border: 0; border-radius: 8px; background: #1f5fbf; color: #fff; font: inherit; }
`;

export const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#14213d"/><path d="M10 7h3v15h9v3H10z" fill="#fff"/></svg>';

/** Puts head and body into the frame of the site. */
export function shellOf(head: string, body: string): string {
  const menu =
    '<a href="/">LumaDocs</a><a href="/docs">Guides</a><a href="/pricing">Pricing</a><a href="/blog">Blog</a>';
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${head}<link rel="icon" href="/icon.svg"><link rel="stylesheet" href="/style.css"></head><body><header>${menu}</header>${body}</body></html>`;
}

/** The script that draws prices, features and templates from what the site's API answers. */
export function scriptOf(): string {
  return `
const name = location.pathname.slice(1);
const title = name[0].toUpperCase() + name.slice(1);
const text = {
  pricing: 'Prices are by team, not by reader. Every plan has versions, search and review, and can be left at the end of a month.',
  features: 'Review before readers see a change, examples that run on every build, versions that keep their address, and search that knows headings.',
  templates: 'Begin with a handbook, an API reference, release notes or a help centre, and change everything later.',
}[name];
(async () => {
  const plans = await (await fetch('/api/plans')).json();
  document.title = title + ' of LumaDocs';
  const tag = document.createElement('meta');
  tag.name = 'description';
  tag.content = text;
  document.head.append(tag);
  const app = document.querySelector('#app');
  const heading = Object.assign(document.createElement('h1'), { textContent: title });
  const lede = Object.assign(document.createElement('p'), { textContent: text });
  app.append(heading, lede);
  const row = Object.assign(document.createElement('div'), { className: 'plans' });
  for (const plan of plans) {
    const box = Object.assign(document.createElement('div'), { className: 'plan' });
    box.innerHTML = '<h2></h2><b></b>a month and team<button>Choose</button>';
    box.querySelector('h2').textContent = plan.name;
    box.querySelector('b').textContent = '$' + plan.price;
    row.append(box);
  }
  app.append(row);
  const reviews = await fetch('/api/reviews');
  if (!reviews.ok) console.warn('reviews are not shown: ' + reviews.status);
})();
`;
}
