/** @jsxImportSource preact */
// A route that is loaded when it is visited.
export default function Colophon() {
  document.title = 'How the almanac is made';
  return (
    <main>
      <h1>How the almanac is made</h1>
      <p>It is printed on the paper that seed merchants wrap their parcels in, and bound with garden twine.</p>
      <p style={{ color: 'rgb(70, 70, 70)', paddingLeft: '2rem' }}>Corrections are pencilled into the copy that hangs by the door.</p>
    </main>
  );
}
