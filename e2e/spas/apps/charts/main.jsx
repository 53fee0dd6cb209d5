// Charts: an SVG chart that measures its container, and one that is drawn by hand with MathML beside it.
import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Bar, BarChart, CartesianGrid, Legend, ResponsiveContainer, XAxis, YAxis } from 'recharts';

function Spark({ values }) {
  const top = Math.max(...values, 1);
  const points = values.map((value, i) => `${i * 40},${100 - (value / top) * 100}`).join(' ');
  return (
    <svg viewBox="0 0 200 100" width="200" height="100" role="img" aria-label="Tomatoes by month">
      <title>Tomatoes by month</title>
      <polyline points={points} fill="none" stroke="rgb(200, 50, 30)" strokeWidth="3" />
      <foreignObject x="0" y="0" width="200" height="20"><span>kilograms</span></foreignObject>
    </svg>
  );
}

function App() {
  const [rows, setRows] = useState(null);
  useEffect(() => {
    document.title = 'The harvest in figures';
    fetch('/api/harvest').then((answer) => answer.json()).then(setRows);
  }, []);
  return (
    <main>
      <h1>The harvest in figures</h1>
      <p>August was the best month, as it is in every year in which the vents open by themselves.</p>
      {rows && (
        <>
          <div style={{ width: '100%', height: 320 }}>
            <ResponsiveContainer>
              <BarChart data={rows}>
                <CartesianGrid strokeDasharray="3 3" /><XAxis dataKey="month" interval={0} /><YAxis /><Legend />
                <Bar dataKey="salad" name="Salad" fill="#3a7" isAnimationActive={false} /><Bar dataKey="tomato" name="Tomatoes" fill="#c43" isAnimationActive={false} />
              </BarChart>
            </ResponsiveContainer>
          </div>
          <Spark values={rows.map((row) => row.tomato)} />
          <p>The mean is <math><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac></math>, which nobody has ever seen on a bench.</p>
        </>
      )}
    </main>
  );
}

createRoot(document.getElementById('root')).render(<App />);
