// Words of files at the root and of IndexNow.
import { counted } from '../lib/numbers';

export const rootFiles = () => 'Root files';
export const rootFilesLede = () =>
  'The edge serves these files to everybody. A fallback answers only where your own server has no such file.';
export const noFiles = () => 'No file is served: your own server answers for all of them.';
export const addFile = () => 'Add file';
export const newFile = () => 'New file';
export const removeFile = (path: string) => `Remove ${path || 'file'}`;
export const mostFiles = (most: number) => `A domain has at most ${counted(most, 'file', 'files')}.`;
const ofFile = (what: string, number: number) => `${what}, file ${number}`;
export const pathOf = (number: number) => ofFile('Path', number);
export const modeOf = (number: number) => ofFile('Served', number);
export const sourceOf = (number: number) => ofFile('Content from', number);
export const bodyOf = (number: number) => ofFile('Content', number);
export const typeOf = (number: number) => ofFile('Content type', number);
export const pathWrong = () =>
  'Enter a known file, such as /llms.txt, or a name at the root that ends in .html or .txt.';
export const pathTwice = () => 'This path stands in the list already.';
export const modes = {
  fallback: () => 'If the server has none',
  always: () => 'Always',
  off: () => 'Never',
};
export const sources = {
  text: () => 'Your text',
  robots: () => 'Everything allowed',
  sitemap: () => 'Stored pages',
};
export const sourceHints = {
  robots: () => 'Allows everything and names the sitemap.',
  sitemap: () =>
    'Lists the stored pages that search engines may list and that your site, its sitemap, an audit or a verified crawler names.',
};

export const indexNow = () => 'IndexNow';
export const indexNowLede = () => 'Tells Bing, Yandex and others which pages have changed, within minutes.';
export const indexNowEnabled = () => 'Submit changed pages';
export const indexNowHint = () =>
  'A page is submitted when a render has changed its text or status, and search engines may list it.';
export const keyLocation = () => 'Address of the key';
export const submissions = () => 'Submissions';
export const pending = () => 'Waiting';
export const submitted = () => 'Submitted';
export const lastSubmitted = () => 'Last submission';
export const never = () => 'Never';
export const pages = (number: number) => counted(number, 'page', 'pages');
export const lastAnswer = (when: string, status: number | null) =>
  status === null ? when : `${when}, answered ${status}`;
