// A component that is loaded when it is shown.
export default function Footnotes() {
  return (
    <aside>
      <p>Lemons were carried in on the ninth of October, as in every year.</p>
      <p>The gardener who planted the oldest tree signed his letters with a drawing of it.</p>
    </aside>
  );
}
