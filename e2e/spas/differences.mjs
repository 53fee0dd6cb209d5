// Where two snapshots differ, for a line of a report. Used by run.mjs and kills.mjs.

export function firstDifference(a, b) {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  const around = (text) => JSON.stringify(text.slice(Math.max(0, at - 60), at + 100));
  return `${around(a)} became ${around(b)}`;
}
