// One pot: its story, its price, and others of its kind (a second request that depends on the first).
import { Link, useParams } from 'react-router';
import { Failed, useData, Waiting } from '../data.jsx';
import { Drawing } from '../drawing.jsx';
import { business, Head, SITE } from '../head.jsx';
import { kinds, price } from '../words.js';
import { NotFound } from './not-found.jsx';
import { Card } from './pots.jsx';

export function Pot() {
  const { slug } = useParams();
  const { state, data: pot } = useData(`/api/pots/${encodeURIComponent(slug)}`);
  const others = useData(pot && `/api/pots?kind=${pot.kind}&not=${pot.slug}`);
  if (state === 'waiting') return <Waiting />;
  if (state === 'failed') return <Failed />;
  if (state === 'missing') return <NotFound />;

  const product = {
    '@type': 'Product', name: pot.name, description: pot.summary, url: `${SITE}/pots/${pot.slug}`, image: `${SITE}/share.png`,
    brand: { '@type': 'Brand', name: business.name },
    offers: {
      '@type': 'Offer', price: pot.price.toFixed(2), priceCurrency: 'GBP',
      availability: pot.stock ? 'https://schema.org/InStock' : 'https://schema.org/OutOfStock',
    },
  };
  return (
    <>
      <Head title={pot.name} path={`/pots/${pot.slug}`} description={`${pot.summary} ${pot.size}. ${price(pot.price)} at Saltmarsh Pottery, Marram.`} type="product" data={product} />
      <p className="crumbs"><Link to="/pots">Pots</Link> / <Link to={`/pots?kind=${pot.kind}`}>{kinds[pot.kind]}</Link></p>
      <article className="split">
        <Drawing pot={pot} label={`Drawing of the ${pot.name}`} />
        <div>
          <h1>{pot.name}</h1>
          <p className="lead">{pot.summary}</p>
          {pot.story.map((paragraph) => <p key={paragraph}>{paragraph}</p>)}
          <dl>
            <div><dt>Size</dt><dd>{pot.size}</dd></div>
            <div><dt>Price</dt><dd>{price(pot.price)}</dd></div>
            <div><dt>On the shelf</dt><dd>{pot.stock ? `${pot.stock}, in the shop on the quay` : 'none until the next firing'}</dd></div>
          </dl>
        </div>
      </article>
      {others.state === 'ready' && others.data.length > 0 && (
        <section aria-labelledby="others">
          <h2 id="others">More {kinds[pot.kind].toLowerCase()}</h2>
          <ul className="cards">{others.data.map((other) => <Card key={other.slug} pot={other} />)}</ul>
        </section>
      )}
    </>
  );
}
