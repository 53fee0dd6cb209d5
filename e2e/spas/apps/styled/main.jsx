// React with styled-components: in production its rules exist only in the object model.
import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import styled, { createGlobalStyle, keyframes } from 'styled-components';

const Global = createGlobalStyle`
  body { margin: 0; background: rgb(250, 248, 240); font-family: system-ui, sans-serif; }
  @media print { nav { display: none; } }
`;
const rise = keyframes`from { transform: translateY(8px); } to { transform: none; }`;
const Shelf = styled.ul`display: grid; grid-template-columns: repeat(auto-fill, minmax(16rem, 1fr)); gap: 18px; padding: 18px; list-style: none;`;
const Card = styled.li`
  border-radius: 12px; padding: 16px; background: ${(props) => (props.$low ? 'rgb(255, 236, 220)' : 'white')};
  animation: ${rise} 0.4s ease-out;
  &:hover { box-shadow: 0 4px 16px rgba(0, 0, 0, 0.2); }
  > h2 { color: rgb(30, 90, 60); font-size: 1.2rem; }
`;
const Price = styled.strong.attrs({ className: 'price' })`color: rgb(140, 40, 30); &::before { content: '€ '; }`;

function App() {
  const [products, setProducts] = useState([]);
  useEffect(() => {
    document.title = 'The shop behind the potting shed';
    fetch('/api/products').then((answer) => answer.json()).then(setProducts);
  }, []);
  return (
    <>
      <Global />
      <h1>The shop behind the potting shed</h1>
      <Shelf>
        {products.map((product) => (
          <Card key={product.id} $low={product.stock < 8}>
            <h2>{product.name}</h2>
            <p>{product.text}</p>
            <Price>{product.price.toFixed(2)}</Price>
            {product.stock < 8 && <p>Only {product.stock} are left on the shelf.</p>}
          </Card>
        ))}
      </Shelf>
    </>
  );
}

createRoot(document.getElementById('root')).render(<App />);
