// React that takes its time: a splash screen, parts that suspend one after the other (React shows them at most three times a second),
// a list that is staged row by row, and a search that asks only after a pause.
import { Suspense, use, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';

const after = (ms, value) => new Promise((done) => setTimeout(() => done(value), ms));
const ROOMS = [
  ['The cold frame', 'It is opened at noon and closed when the blackbird goes to bed.'],
  ['The potting shed', 'Three spades hang here, and the one with the short handle is always missing.'],
  ['The greenhouse', 'In February it is the only room of the garden in which anybody sits down.'],
  ['The compost', 'It is warm enough by May to worry the neighbours.'],
];
const parts = new Map();
const part = (id, ms) => {
  if (!parts.has(id)) parts.set(id, after(ms, ROOMS[id]));
  return parts.get(id);
};

function Room({ id, ms }) {
  const [name, text] = use(part(id, ms));
  return <section><h2>{name}</h2><p>{text}</p></section>;
}

function Rows() {
  const [count, setCount] = useState(0);
  useEffect(() => {
    if (count < 6) setTimeout(() => setCount(count + 1), 180);
  }, [count]);
  return <ol>{Array.from({ length: count }, (_, i) => <li key={i}>Row {i + 1} has been sown, raked and watered.</li>)}</ol>;
}

function Search() {
  const [found, setFound] = useState([]);
  useEffect(() => {
    const pause = setTimeout(async () => setFound(await (await fetch('/api/articles?wait=100')).json()), 500);
    return () => clearTimeout(pause);
  }, []);
  return <ul>{found.map(({ id, title }) => <li key={id}><a href={`/patient/${id}`}>{title}</a></li>)}</ul>;
}

function App() {
  const [ready, setReady] = useState(false);
  useEffect(() => {
    setTimeout(() => {
      document.title = 'A garden for the patient';
      setReady(true);
    }, 1200);
  }, []);
  if (!ready) return <p role="status">The gate is being opened.</p>;
  return (
    <main>
      <h1>A garden for the patient</h1>
      {ROOMS.map((_, id) => <Suspense key={id} fallback={<p role="status">One moment.</p>}><Room id={id} ms={150 + 200 * id} /></Suspense>)}
      <Rows />
      <Search />
    </main>
  );
}

createRoot(document.getElementById('root')).render(<App />);
