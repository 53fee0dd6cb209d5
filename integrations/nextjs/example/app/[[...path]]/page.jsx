// A page that is written in the browser. proxy.ts beside the folder app is ../../snippet.ts, filled in.
'use client';

import { useEffect, useState } from 'react';

const STATUS = { '/missing': '404', '/gone': '410' };

export default function Page() {
  const [words, setWords] = useState(null);
  useEffect(() => {
    fetch('/words.json').then((answer) => answer.json()).then((answer) => setWords(answer.words));
    if (!(window.location.pathname in STATUS)) return;
    const meta = document.createElement('meta');
    Object.assign(meta, { name: 'prerender-status-code', content: STATUS[window.location.pathname] });
    document.head.append(meta);
  }, []);
  if (!words) return <p>The shell</p>;
  return <main><h1>Written by React</h1><p id="address">{window.location.pathname + window.location.search}</p><p>{words}</p></main>;
}
