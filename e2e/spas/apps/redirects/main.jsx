// Addresses that send their visitors elsewhere: by the router, by the location, by a meta tag; and ones that only tidy up.
import { useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter, Navigate, Route, Routes, useNavigate } from 'react-router';

function Page({ title, status, children }) {
  useEffect(() => { document.title = title; }, [title]);
  return <main>{status && <meta name="prerender-status-code" content={status} />}<h1>{title}</h1>{children}</main>;
}
function Replace() {
  useEffect(() => { location.replace('/redirects/new?from=replace'); }, []);
  return <p>One moment, we are moving.</p>;
}
function Late() {
  const go = useNavigate();
  useEffect(() => {
    const timer = setTimeout(() => go('/new'), 300);
    return () => clearTimeout(timer);
  }, [go]);
  return <p>One moment, we are moving slowly.</p>;
}
function Refresh() {
  return <><meta httpEquiv="refresh" content="0; url=/redirects/new" /><p>One moment, the page is turning itself.</p></>;
}
function Tidy() {
  useEffect(() => { history.replaceState(null, '', '/redirects/tidy'); }, []);
  return <Page title="The tidy page"><p>Only the broom marks in the address are gone.</p></Page>;
}

createRoot(document.getElementById('root')).render(
  <BrowserRouter basename="/redirects">
    <Routes>
      <Route path="/new" element={<Page title="The new page"><p>Here is where everything went.</p></Page>} />
      <Route path="/old" element={<Navigate to="/new" replace />} />
      <Route path="/replace" element={<Replace />} />
      <Route path="/late" element={<Late />} />
      <Route path="/refresh" element={<Refresh />} />
      <Route path="/moved" element={<><meta name="prerender-status-code" content="301" /><meta name="prerender-header" content="Location: /redirects/new" /><p>We have moved for good.</p></>} />
      <Route path="/tidy" element={<Tidy />} />
      <Route path="*" element={<Page title="Gone with the wind" status="410"><p>This leaf was blown over the fence.</p></Page>} />
    </Routes>
  </BrowserRouter>,
);
