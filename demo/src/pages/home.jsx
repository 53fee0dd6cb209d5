// The front page: what the workshop is, a few pots, the next class.
import { Link } from 'react-router';
import { Failed, useData, Waiting } from '../data.jsx';
import { Drawing } from '../drawing.jsx';
import { business, Head } from '../head.jsx';
import { day, price } from '../words.js';
import { Card } from './pots.jsx';

export function Home() {
  const pots = useData('/api/pots');
  const classes = useData('/api/classes');
  return (
    <>
      <Head title="Saltmarsh Pottery: pots for every day" path="/" data={business}
        description="Mugs, bowls, jugs and vases thrown by hand in a small workshop on Low Quay, Marram. Classes at the wheel every month." />
      <section className="hero">
        <div>
          <h1>Pots for every day, made by two people on a quay</h1>
          <p className="lead">
            We throw, glaze and fire everything here, about forty pots a week. They are meant to be used, washed up, and used again.
          </p>
          <p><Link className="button" to="/pots">See the pots</Link> <Link className="button plain" to="/classes">Come to a class</Link></p>
        </div>
        <div className="shelf" aria-hidden="true">
          {pots.state === 'ready' && ['heron-vase', 'quay-jug', 'tide-mug'].map((slug) => (
            <Drawing key={slug} pot={pots.data.find((pot) => pot.slug === slug)} />
          ))}
        </div>
      </section>
      <section aria-labelledby="new">
        <h2 id="new">From the last firing</h2>
        {pots.state === 'waiting' && <Waiting />}
        {pots.state === 'failed' && <Failed />}
        {pots.state === 'ready' && <ul className="cards">{pots.data.slice(0, 4).map((pot) => <Card key={pot.slug} pot={pot} />)}</ul>}
      </section>
      {classes.state === 'ready' && (
        <section className="band" aria-labelledby="next">
          <h2 id="next">Next at the wheel: {classes.data[0].name}</h2>
          <p>{classes.data[0].text}</p>
          <p><strong>{day(classes.data[0].starts)}</strong>, {classes.data[0].hours} hours, {price(classes.data[0].price)}. <Link to="/classes">All classes</Link></p>
        </section>
      )}
    </>
  );
}
