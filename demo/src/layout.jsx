// Header, footer and the way between pages: every page stands inside it.
import { useEffect, useRef } from 'react';
import { Link, NavLink, useLocation } from 'react-router';

const PAGES = [['/pots', 'Pots'], ['/classes', 'Classes'], ['/journal', 'Journal'], ['/about', 'About']];

export function Layout({ children }) {
  const main = useRef(null);
  const { pathname } = useLocation();
  const first = useRef(true);

  // After a click, reading starts at the top of the new page; on the first page the browser has done that.
  useEffect(() => {
    if (first.current) { first.current = false; return; }
    window.scrollTo(0, 0);
    main.current.focus({ preventScroll: true });
  }, [pathname]);

  return (
    <>
      <a className="skip" href="#main">Skip to content</a>
      <header className="top">
        <Link className="brand" to="/">
          <img src="/icon.svg" alt="" width="28" height="28" />
          Saltmarsh Pottery
        </Link>
        <nav aria-label="Main">
          {PAGES.map(([to, label]) => <NavLink key={to} to={to}>{label}</NavLink>)}
        </nav>
      </header>
      <main id="main" ref={main} tabIndex={-1}>{children}</main>
      <footer>
        <p>3 Low Quay, Marram · Thursday to Sunday, 10 to 5</p>
        <p className="quiet">
          Saltmarsh Pottery is invented. It is the demo site of Glasshouse: every word on this page arrived by JavaScript, and the pots are
          drawn, not thrown.
        </p>
      </footer>
    </>
  );
}
