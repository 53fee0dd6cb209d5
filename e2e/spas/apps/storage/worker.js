// The clerk of the store room, who is slow and does one thing after the other.
import { expose } from 'comlink';

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

expose({
  async greet() {
    await sleep(700);
    return 'What the clerk has read today';
  },
  async read() {
    await sleep(1300);
    const articles = await (await fetch('/api/articles?wait=300')).json();
    return articles.map(({ title, author }) => `${title}, by ${author}`);
  },
});
