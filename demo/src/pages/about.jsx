// Who makes the pots, where, and how to get there. The one page without data from the server.
import { business, Head } from '../head.jsx';

export function About() {
  return (
    <>
      <Head title="About the workshop" path="/about" data={business}
        description="Ines Farrow and Tomas Reed make pots in an old net loft on Low Quay, Marram. Open Thursday to Sunday, 10 to 5." />
      <h1>About the workshop</h1>
      <p className="lead">Two potters, five wheels, one kiln, in a loft where nets were mended until 1978.</p>
      <h2>Who we are</h2>
      <p>
        Ines Farrow throws and mixes glazes; Tomas Reed turns, fires and teaches. We share the sweeping. Neither of us can make a teapot that we like, so there are no
        teapots.
      </p>
      <h2>How we work</h2>
      <p>
        Clay comes from a pit forty miles away, ash from the bakery next door. The kiln runs on electricity, at night, when there is wind to spare. What breaks goes back into
        the ground as drainage.
      </p>
      <h2>How to find us</h2>
      <address>3 Low Quay, Marram<br />Thursday to Sunday, 10 to 5</address>
      <p>The bus stops at the chapel. Walk towards the water until the street ends; the door is the green one, and it sticks.</p>
    </>
  );
}
