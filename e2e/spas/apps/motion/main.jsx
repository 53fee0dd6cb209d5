// React with motion: sections that appear when they are scrolled into view, and an entrance that is drawn frame by frame.
import { motion, AnimatePresence, animate } from 'motion/react';
import { useEffect, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';

const PARTS = [
  ['Sow', 'Fill the tray to the rim, press it once and water it from below, so that the seed stays where you put it.'],
  ['Wait', 'Nothing happens for nine days. On the tenth the whole tray is green before breakfast.'],
  ['Prick out', 'Hold a seedling by its leaf and never by its stem: it can grow another leaf.'],
  ['Harden', 'Carry the trays out in the morning and in at night for a week, and call it exercise.'],
  ['Plant', 'Plant in the evening, water once more, and leave the rest to the roots.'],
];

function Counter({ to }) {
  const ref = useRef(null);
  useEffect(() => {
    const run = animate(0, to, { duration: 0.6, onUpdate: (value) => { if (ref.current) ref.current.textContent = String(Math.round(value)); } });
    return () => run.stop();
  }, [to]);
  return <strong ref={ref}>0</strong>;
}

function App() {
  const [open, setOpen] = useState(false);
  useEffect(() => { document.title = 'From seed to bed in five steps'; setOpen(true); }, []);
  return (
    <main style={{ fontFamily: 'system-ui', maxWidth: 640, margin: '0 auto' }}>
      <motion.h1 initial={{ opacity: 0, y: -30 }} animate={{ opacity: 1, y: 0 }} transition={{ duration: 0.5 }}>From seed to bed in five steps</motion.h1>
      <p>Readers have tried this <Counter to={1280} /> times.</p>
      <AnimatePresence>{open && <motion.p key="note" initial={{ opacity: 0 }} animate={{ opacity: 1 }} exit={{ opacity: 0 }}>Bring a pencil.</motion.p>}</AnimatePresence>
      {PARTS.map(([title, text]) => (
        <motion.section key={title} style={{ minHeight: 480 }} initial={{ opacity: 0, x: -60 }} whileInView={{ opacity: 1, x: 0 }} viewport={{ once: true }} transition={{ duration: 0.6 }}>
          <h2>{title}</h2>
          <p>{text}</p>
        </motion.section>
      ))}
    </main>
  );
}

createRoot(document.getElementById('root')).render(<App />);
