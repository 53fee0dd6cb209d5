// Classes at the wheel, with dates and prices.
import { Failed, useData, Waiting } from '../data.jsx';
import { business, Head, SITE } from '../head.jsx';
import { day, price } from '../words.js';

export function Classes() {
  const { state, data: classes } = useData('/api/classes');
  const events = state === 'ready' && {
    '@graph': classes.map((one) => ({
      '@type': 'Event', name: one.name, description: one.text, startDate: one.starts, url: `${SITE}/classes#${one.slug}`,
      location: business, offers: { '@type': 'Offer', price: one.price.toFixed(2), priceCurrency: 'GBP' },
    })),
  };
  return (
    <>
      <Head title="Classes at the wheel" path="/classes" data={events}
        description="Pottery classes in Marram: a first bowl on a Saturday morning, six evenings at the wheel, and a day about glazes. Five to eight places each." />
      <h1>Classes at the wheel</h1>
      <p className="lead">Small groups, everything included. You will get wet.</p>
      {state === 'waiting' && <Waiting />}
      {state === 'failed' && <Failed />}
      {state === 'ready' && classes.map((one) => (
        <section key={one.slug} id={one.slug} className="class" aria-labelledby={`${one.slug}-name`}>
          <h2 id={`${one.slug}-name`}>{one.name}</h2>
          <p>{one.text}</p>
          <dl>
            <div><dt>Starts</dt><dd><time dateTime={one.starts}>{day(one.starts)}</time></dd></div>
            <div><dt>Length</dt><dd>{one.hours} hours</dd></div>
            <div><dt>Places</dt><dd>{one.places}</dd></div>
            <div><dt>Price</dt><dd>{price(one.price)}</dd></div>
            <div><dt>For</dt><dd>{one.level}</dd></div>
          </dl>
        </section>
      ))}
    </>
  );
}
