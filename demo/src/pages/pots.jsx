// All pots, or those of one kind (?kind=mug).
import { Link, useSearchParams } from 'react-router';
import { Failed, useData, Waiting } from '../data.jsx';
import { Drawing } from '../drawing.jsx';
import { Head, SITE } from '../head.jsx';
import { kinds, price } from '../words.js';

export function Pots() {
  const pots = useData('/api/pots');
  const [query] = useSearchParams();
  const kind = kinds[query.get('kind')] ? query.get('kind') : '';
  const shown = pots.state === 'ready' ? pots.data.filter((pot) => !kind || pot.kind === kind) : [];
  const list = {
    '@type': 'ItemList',
    itemListElement: shown.map((pot, index) => ({ '@type': 'ListItem', position: index + 1, name: pot.name, url: `${SITE}/pots/${pot.slug}` })),
  };
  return (
    <>
      <Head title={kind ? kinds[kind] : 'All pots'} path={kind ? `/pots?kind=${kind}` : '/pots'} data={pots.state === 'ready' && list}
        description={`${kind ? kinds[kind] : 'Mugs, bowls, vases, jugs, plates and planters'} from Saltmarsh Pottery: thrown by hand, fired to stoneware, safe in the dishwasher.`} />
      <h1>{kind ? kinds[kind] : 'All pots'}</h1>
      <nav className="kinds" aria-label="Kinds of pots">
        <Link to="/pots" aria-current={kind ? undefined : 'true'}>All</Link>
        {Object.entries(kinds).map(([id, label]) => (
          <Link key={id} to={`/pots?kind=${id}`} aria-current={kind === id ? 'true' : undefined}>{label}</Link>
        ))}
      </nav>
      {pots.state === 'waiting' && <Waiting />}
      {pots.state === 'failed' && <Failed />}
      {pots.state === 'ready' && <ul className="cards">{shown.map((pot) => <Card key={pot.slug} pot={pot} />)}</ul>}
    </>
  );
}

export function Card({ pot }) {
  return (
    <li className="card">
      <Drawing pot={pot} />
      <h3><Link to={`/pots/${pot.slug}`}>{pot.name}</Link></h3>
      <p>{pot.summary}</p>
      <p className="price">{pot.stock ? price(pot.price) : `${price(pot.price)} · sold out`}</p>
    </li>
  );
}
