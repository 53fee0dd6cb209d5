// The demo site's entry: routes, and nothing else. Pages are in pages/, what they share is beside this file.
import { lazy, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter, Navigate, Route, Routes } from 'react-router';
import './style.css';
import { Layout } from './layout.jsx';
import { Waiting } from './data.jsx';
import { About } from './pages/about.jsx';
import { Classes } from './pages/classes.jsx';
import { Home } from './pages/home.jsx';
import { NotFound } from './pages/not-found.jsx';
import { Pot } from './pages/pot.jsx';
import { Pots } from './pages/pots.jsx';

// The journal is read by few visitors: its code is fetched when somebody goes there.
const Journal = lazy(() => import('./pages/journal.jsx'));
const Post = lazy(() => import('./pages/post.jsx'));

createRoot(document.getElementById('root')).render(
  <BrowserRouter>
    <Layout>
      <Suspense fallback={<Waiting />}>
        <Routes>
          <Route path="/" element={<Home />} />
          <Route path="/pots" element={<Pots />} />
          <Route path="/pots/:slug" element={<Pot />} />
          <Route path="/classes" element={<Classes />} />
          <Route path="/journal" element={<Journal />} />
          <Route path="/journal/:slug" element={<Post />} />
          <Route path="/about" element={<About />} />
          {/* The shop's old address, printed on a thousand paper bags. */}
          <Route path="/shop" element={<Navigate to="/pots" replace />} />
          <Route path="*" element={<NotFound />} />
        </Routes>
      </Suspense>
    </Layout>
  </BrowserRouter>,
);
