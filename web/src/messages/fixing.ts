// Words of fixes that are made where a fault is shown.
import { counted } from '../lib/numbers';
import { crawlerName } from './bots';

export const fix = () => 'Fix';
export const fixFor = (path: string) => `Fix ${path}`;
export const redirectItem = () => 'Add a redirect';
export const ignoreItem = () => 'Ignore the path';
export const renderItem = () => 'Render this page again';
export const ruleItem = (crawler: string) => `Block ${crawlerName(crawler)} here`;
export const renderThese = (pages: number) => `Render ${counted(pages, 'page', 'pages')} again`;
export const rendering = () => 'Asking';

export const titles = {
  redirect: () => 'Add a redirect',
  ignore: () => 'Ignore a path',
  rule: () => 'Block a crawler',
};
export const texts = {
  redirect: () => 'Crawlers and people are sent to another address with status 301.',
  ignore: () => 'The path is not rendered any more: crawlers get what your own server sends.',
  rule: () => 'A rule of the crawler policy refuses the crawler at this path with status 403.',
};
export const from = () => 'From';
export const to = () => 'To';
export const toHint = () => 'A path such as /new, or a whole address.';
export const pattern = () => 'Path pattern';
export const patternHint = () => '* stands for one part of a path, ** at the end for the rest.';
export const crawler = () => 'Crawler';
export const path = () => 'Path';
export const apply = {
  redirect: () => 'Add redirect',
  ignore: () => 'Ignore path',
  rule: () => 'Add rule',
};
export const patternStart = () => 'A pattern begins with /.';

export const changed = () => 'What changed';
export const addedTo = {
  redirect: () => 'Added to the redirects',
  ignore: () => 'Added to the ignored paths',
  rule: () => 'Added to the crawler policy',
};
export const redirectLine = (source: string, destination: string) => `${source} → ${destination} (301)`;
export const ruleLine = (id: string, at: string) => `Block ${crawlerName(id)} at ${at}`;
export const redirectNote = () => 'It holds for the next request.';
export const ignoreNote = () => 'It holds for the next request; the stored snapshot stays unused.';
export const ruleEnforced = () => 'It holds within two seconds.';
export const ruleLogged = () =>
  'The policy only logs, so the crawler is still let in and the report says what would be refused. Set the mode to enforce when it is right.';
export const seeSettings = () => 'See the settings';
export const undo = () => 'Undo';
export const undone = () => 'Taken back.';
export const notUndone = () => 'It could not be taken back: the server does not answer.';

export const redirectRefused = () =>
  'This redirect is refused: it would lead back to itself, or its pattern cannot be used.';
export const ignoredAlready = (text: string) => `${text} is ignored already.`;
export const patternRefused = () => 'This pattern cannot be used.';
