// What is shown by scroll position: scenes of GSAP, pictures of lazysizes; and a chart of ECharts. Ids of chance and of the time.
import { BarChart } from 'echarts/charts';
import { GridComponent } from 'echarts/components';
import * as echarts from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import gsap from 'gsap';
import { ScrollTrigger } from 'gsap/ScrollTrigger';
import 'lazysizes';
import { nanoid } from 'nanoid';

document.title = 'A year in the garden';
const style = document.createElement('style');
style.textContent = 'section { min-height: 500px; } img { background: rgb(230, 236, 226); } #chart { width: 640px; height: 320px; }';
document.head.append(style);

const [articles, harvest] = await Promise.all(['/api/articles', '/api/harvest'].map(async (url) => (await fetch(url)).json()));
const field = nanoid();
document.getElementById('root').innerHTML = `<h1>A year in the garden</h1>
  <p class="lead">It begins with a spade that is frozen to the ground.</p>
  <label for="${field}">Your name</label><input id="${field}">
  ${articles.map(({ id, title, summary, image }) => `<section><h2>${title}</h2><p>${summary}</p><img class="lazyload" data-src="${image}" alt="Picture for ${id}" width="200" height="100"></section>`).join('')}
  <p class="late">This comes in from the left when somebody gets so far.</p>
  <p class="jars">No jars yet</p>
  <div id="chart"></div><p id="end-${Date.now()}">And then the ground is frozen again.</p>`;

gsap.registerPlugin(ScrollTrigger);
gsap.from('.lead', { opacity: 0, y: 40, duration: 1, delay: 0.5 });
gsap.from('.late', { scrollTrigger: '.late', opacity: 0, x: -100, duration: 1 });
const count = { jars: 0 };
gsap.to(count, {
  jars: 125, duration: 1, scrollTrigger: '.jars',
  onUpdate: () => { document.querySelector('.jars').textContent = `${Math.round(count.jars)} jars of chutney`; },
});

echarts.use([BarChart, GridComponent, SVGRenderer]);
echarts.init(document.getElementById('chart'), null, { renderer: 'svg' }).setOption({
  xAxis: { data: harvest.map(({ month }) => month) },
  yAxis: {},
  series: [{ type: 'bar', name: 'Tomatoes', data: harvest.map(({ tomato }) => tomato) }],
});
