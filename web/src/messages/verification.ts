// Words of the check of a site: what it asks, what each check is about, what a finding means.
import { count, counted } from '../lib/numbers';

export const title = () => 'Check the site';
export const lede = () =>
  'Requests one page about fifteen times, as a crawler and as a person, and says whether each gets what it should.';
export const path = () => 'Path';
export const pathHint = () => 'A page of the site, with its query.';
export const pathInvalid = () => 'Enter a path that begins with /, such as /pricing.';
export const crawler = () => 'Crawler';
export const start = () => 'Check the site';
export const startAgain = () => 'Check again';
export const running = (crawlerName: string) => `Asking as ${crawlerName} and as a person. It takes a minute at most.`;
export const progress = () => 'Time of the check';
export const progressText = (seconds: number) => counted(seconds, 'second', 'seconds');
export const allowed = (left: string) => `Six checks a minute are allowed. The next one is in ${left}.`;
export const waiting = () => 'Six checks a minute are allowed.';
export const allowedAgain = () => 'You can check again now.';
export const noReason = () => 'it gave no answer that could be read';
export const noAnswer = (domain: string, reason: string) =>
  `${domain} could be reached neither as a crawler nor as a person: ${reason.replaceAll('`', '')}.`;
export const what = () => 'The check';

export const verdict = (found: number, judged: number) =>
  found === 0
    ? `No problem found in ${counted(judged, 'check', 'checks')}.`
    : `${count(found)} of ${counted(judged, 'check', 'checks')} found a problem.`;
export const notJudgedToo = (checks: number) => `${counted(checks, 'check', 'checks')} could not be completed.`;
export const asked = (url: string, crawlerName: string) => `${url} as ${crawlerName} and as a person`;
export const onPlatform = (platform: string) => `on ${platform}`;
export const results = () => 'Results of the check';
export const states = { found: () => 'Found', passed: () => 'Passed', notJudged: () => 'Not judged' };
export const means = () => 'What it means';
export const remedy = () => 'What to do';
export const remedyOn = (platform: string) => `What to do on ${platform}`;
export const passedChecks = (checks: number) => `${counted(checks, 'check', 'checks')} without a finding`;

/** Each check by its id: a sound site, one with the fault, and what follows from it. A check that is not here is shown by its id. */
const checks: Record<string, { title: string; found: string; means: string }> = {
  crawler_snapshot: {
    title: 'Crawlers get the content of the page',
    found: 'Crawlers do not get the content of the page',
    means: 'Crawlers that run no scripts see an empty page, and AI assistants know nothing of it.',
  },
  same_content: {
    title: 'Crawlers get the content that people get',
    found: 'Crawlers get a notice, an error or different text instead of the page',
    means: 'Search engines index it instead of the page, and assistants answer from it.',
  },
  encoding: {
    title: 'Pages are compressed as their headers say',
    found: 'The page for crawlers is not compressed as its headers say',
    means: 'Crawlers get bytes that they cannot read, and treat the page as empty.',
  },
  language: {
    title: 'Crawlers get the language that people get',
    found: 'Crawlers get a different language from people',
    means: 'Search engines show people the page in the wrong language.',
  },
  snapshot_age: {
    title: 'Snapshots are fresh',
    found: 'The snapshot is old',
    means: 'Search engines and assistants tell people what the page said weeks ago.',
  },
  indexable: {
    title: 'Crawlers may index the page',
    found: 'Crawlers are told not to index the page',
    means: 'A page with noindex leaves the index, and with it the answers of assistants that search there.',
  },
  robots_txt: {
    title: 'robots.txt allows the page',
    found: 'robots.txt forbids the page',
    means: 'A crawler that is forbidden an address never asks for it, whatever is served there.',
  },
  canonical: {
    title: 'The page names itself as canonical',
    found: 'The page names another address as canonical',
    means:
      'Search engines index the canonical address instead of the page: if all pages name the same one, the whole site counts as one page.',
  },
  person_app: {
    title: 'People get the app',
    found: 'People get the snapshot instead of the app',
    means: 'People get a page whose scripts do not run: buttons and forms are dead.',
  },
  shared_cache: {
    title: 'No shared cache mixes up crawlers and people',
    found: 'A shared cache mixes up crawlers and people',
    means:
      'A cache that ignores who asks gives people the snapshot, or crawlers the empty app; one that stores snapshots keeps giving crawlers old pages.',
  },
  loop: {
    title: 'Requests do not go round in circles',
    found: 'Requests go round in circles',
    means: 'Nobody gets a page, and each request causes many more.',
  },
  double_rendering: {
    title: 'Pages are rendered once',
    found: 'Pages are rendered twice',
    means: 'The service renders its own snapshot: pages lose parts, and each costs two renders.',
  },
  firewall: {
    title: 'No firewall blocks crawlers',
    found: 'A firewall blocks crawlers',
    means: 'A page that a crawler cannot fetch drops out of its index.',
  },
  query: {
    title: 'The query reaches the page',
    found: 'The query does not reach the page',
    means: 'Pages that differ only in their query all get the same snapshot.',
  },
  missing_page: {
    title: 'An address that does not exist answers 404',
    found: 'An address that does not exist does not answer 404',
    means: 'Search engines index endless empty pages, and call them soft 404.',
  },
  host: {
    title: 'Crawlers are told the public host',
    found: 'Crawlers are told a host other than the public one',
    means: 'Search engines index a host that people do not use.',
  },
  scheme: {
    title: 'Crawlers are told the public scheme',
    found: 'Crawlers are told a scheme other than the public one',
    means: 'Search engines index http addresses of an https site, or are redirected endlessly.',
  },
  asset: {
    title: 'Scripts and style sheets are not rendered',
    found: 'Scripts and style sheets are rendered',
    means: 'Renders are spent on files, and crawlers that run scripts get HTML instead of them.',
  },
  head: {
    title: 'HEAD is answered like GET',
    found: 'HEAD is not answered like GET',
    means: 'Link checkers and some crawlers ask with HEAD first, and treat the page as broken.',
  },
  speed: {
    title: 'Crawlers are answered in time',
    found: 'Crawlers wait too long',
    means: 'Link previews give up after about ten seconds, and search engines crawl slow sites less.',
  },
};
export const checkTitle = (id: string, isFound: boolean) => checks[id]?.[isFound ? 'found' : 'title'] ?? id;
export const checkMeans = (id: string) => checks[id]?.means ?? null;
