// AOS: sections that fade in when somebody has scrolled to them.
import AOS from 'aos';
import 'aos/dist/aos.css';

document.title = 'A walk through the house';
const articles = await (await fetch('/api/articles')).json();
const effects = ['fade-up', 'fade-right', 'zoom-in', 'flip-left'];
document.getElementById('root').innerHTML = `<h1 data-aos="fade-down">A walk through the house</h1>
  ${articles.map(({ title, summary }, i) => `<section style="min-height: 420px" data-aos="${effects[i % effects.length]}"><h2>${title}</h2><p>${summary}</p></section>`).join('')}
  <p data-aos="fade-left" data-aos-delay="200">The door on the far side leads to the compost.</p>
  <footer style="min-height: 400px">The house closes at dusk.</footer>`;
AOS.init({ duration: 600, once: true });
