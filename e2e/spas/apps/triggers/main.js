// ScrollTrigger in other ways than scenes: batches of cards, a class that is set once, a headline whose letters come one by one.
import gsap from 'gsap';
import { ScrollTrigger } from 'gsap/ScrollTrigger';

document.title = 'Tools of the trade';
const style = document.createElement('style');
style.textContent = '.card { min-height: 300px; } .quote { color: rgb(150, 150, 150); } .quote.seen { color: rgb(20, 90, 40); }';
document.head.append(style);
const products = await (await fetch('/api/products?wait=120')).json();
document.getElementById('root').innerHTML = `<h1>${[...'Tools'].map((letter) => `<span>${letter}</span>`).join('')} of the trade</h1>
  ${products.map(({ name, text }) => `<article class="card"><h2>${name}</h2><p>${text}</p></article>`).join('')}
  <p class="quote">A good tool is one that is missed when it is lent.</p>`;

gsap.registerPlugin(ScrollTrigger);
gsap.from('h1 span', { opacity: 0, y: 20, duration: 0.3, stagger: 0.1 });
gsap.set('.card', { opacity: 0, y: 60 });
ScrollTrigger.batch('.card', { onEnter: (cards) => gsap.to(cards, { opacity: 1, y: 0, duration: 0.5, stagger: 0.1, overwrite: true }) });
ScrollTrigger.create({ trigger: '.quote', once: true, onEnter: () => document.querySelector('.quote').classList.add('seen') });
