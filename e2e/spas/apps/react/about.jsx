// A route that is loaded when it is visited.
import { Helmet } from 'react-helmet-async';

export default function About() {
  return (
    <main>
      <Helmet>
        <title>About Under Glass</title>
        <link rel="canonical" href="https://underglass.example/react/about" />
      </Helmet>
      <h1>Who writes this</h1>
      <p>Three people share one greenhouse, one kettle and one notebook, and disagree about almost everything else.</p>
      <p>Letters are answered on rainy days, which in our town is most of them.</p>
    </main>
  );
}
