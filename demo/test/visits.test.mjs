// The made-up log of crawler visits. That the service reads every line of it is tested in first-start.test.mjs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CRAWLERS } from '../made/crawlers.mjs';
import { DAYS, makeLog, makeRanges } from '../made/visits.mjs';
import { paths } from '../pages.mjs';

const END = Date.parse('2026-11-26T15:30:00Z');
const visitsUntil = (end) => makeLog({ end, pages: paths }).map((line) => JSON.parse(line));

test('the same end gives the same lines', () => {
  assert.deepEqual(makeLog({ end: END, pages: paths }), makeLog({ end: END, pages: paths }));
});

test('there are visits on each of the days, in their order, and none after the end', () => {
  const times = visitsUntil(END).map(({ ts }) => ts);

  assert.equal(new Set(times.map((time) => time.slice(0, 10))).size, DAYS);
  assert.deepEqual(times, [...times].sort());
  assert.ok(times.at(-1) <= new Date(END).toISOString());
});

test('every crawler comes, some pages are gone, most answers are from the cache, a week has its shape', () => {
  const visits = visitsUntil(END);
  const share = (is) => visits.filter(is).length / visits.length;
  const perDay = (weekdays) => {
    const days = new Map();
    for (const { ts } of visits.filter((visit) => weekdays.includes(new Date(visit.ts).getUTCDay()))) days.set(ts.slice(0, 10), (days.get(ts.slice(0, 10)) ?? 0) + 1);
    return [...days.values()].reduce((sum, count) => sum + count, 0) / days.size;
  };

  assert.equal(new Set(visits.map(({ userAgent }) => userAgent)).size, CRAWLERS.length);
  assert.ok(share(({ status }) => status === 404) > 0.003 && share(({ status }) => status === 404) < 0.02);
  assert.ok(share(({ servedBy }) => servedBy === 'cache') > 0.75);
  assert.ok(perDay([0, 6]) < 0.95 * perDay([1, 2, 3, 4, 5]));
});

test('visits of impostors come from outside the lists, all others with an address from inside', () => {
  const feeds = Object.values(JSON.parse(makeRanges(END)).feeds).flatMap(({ networks }) => networks);
  const prefixes = feeds.map((network) => network.split('.').slice(0, 3).join('.'));
  const isListed = ({ ip }) => prefixes.includes(ip.split('.').slice(0, 3).join('.'));
  const known = visitsUntil(END).filter(({ ip }) => ip !== undefined);

  const strangers = known.filter((visit) => !isListed(visit));

  assert.ok(strangers.length > 20 && strangers.length < 100, strangers.length);
  assert.deepEqual(new Set(strangers.map(({ ip }) => ip)), new Set(['9.9.9.9', '1.1.1.1', '8.8.8.8']));
});
