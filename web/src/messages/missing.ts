// Words of missing pages, in the rendering settings.
export const notFound = () => 'Missing pages';
export const notFoundLede = () =>
  'Pages that answer 200 although they do not exist. Crawlers get 404 for them, from their next render on.';
export const notFoundSelector = () => 'Has an element';
export const notFoundSelectorHint = () => 'CSS selector of an element that only a missing page has.';
export const notFoundText = () => 'Shows a text';
export const notFoundTextHint = () => 'Text that only a missing page shows, in upper and lower case as written.';
export const notFoundCompare = () => 'Compare with an address that cannot exist';
export const notFoundCompareHint = () =>
  'Such an address is rendered once a day. A page that shows the same is missing. This uses no renders.';
