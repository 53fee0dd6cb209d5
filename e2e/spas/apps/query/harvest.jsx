// The table below the notes: a chunk of its own, which suspends until its data are there. Used by main.jsx.
import { useSuspenseQuery } from '@tanstack/react-query';

export default function Harvest() {
  const { data } = useSuspenseQuery({ queryKey: ['harvest'], queryFn: () => fetch('/api/harvest').then((answer) => answer.json()) });
  return (
    <table>
      <caption>Kilograms of salad by month</caption>
      <tbody>{data.map(({ month, salad }) => <tr key={month}><td>{month}</td><td>{salad}</td></tr>)}</tbody>
    </table>
  );
}
