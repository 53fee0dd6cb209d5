// What search engines and link previews read: title, description, canonical, Open Graph, JSON-LD. React hoists it to <head>.

/** The public address of the shop, wherever it is served from. */
export const SITE = 'https://demo.glasshouse.test';
const NAME = 'Saltmarsh Pottery';

/** The business, as the JSON-LD of every page names it. */
export const business = {
  '@type': 'LocalBusiness',
  '@id': `${SITE}/#workshop`,
  name: NAME,
  url: `${SITE}/`,
  address: { '@type': 'PostalAddress', streetAddress: '3 Low Quay', addressLocality: 'Marram', addressCountry: 'GB' },
};

export function Head({ title, description, path, type = 'website', data }) {
  const full = path === '/' ? title : `${title} · ${NAME}`;
  const url = SITE + path;
  return (
    <>
      <title>{full}</title>
      <meta name="description" content={description} />
      <link rel="canonical" href={url} />
      <meta property="og:site_name" content={NAME} />
      <meta property="og:type" content={type} />
      <meta property="og:title" content={title} />
      <meta property="og:description" content={description} />
      <meta property="og:url" content={url} />
      <meta property="og:image" content={`${SITE}/share.png`} />
      <meta name="twitter:card" content="summary_large_image" />
      {data && <JsonLd data={data} />}
    </>
  );
}

function JsonLd({ data }) {
  const text = JSON.stringify({ '@context': 'https://schema.org', ...data }).replaceAll('<', '\\u003c');
  return <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: text }} />;
}
