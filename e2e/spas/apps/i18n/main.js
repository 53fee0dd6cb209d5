// Languages: lang and dir of the document, alternates, texts that are loaded for the language in the address.
import i18next from 'i18next';

const language = ['en', 'de', 'ar', 'ja'].find((code) => location.pathname.startsWith(`/i18n/${code}`)) || 'en';
const texts = await (await fetch(`/api/messages/${language}`)).json();
await i18next.init({ lng: language, resources: { [language]: { translation: texts } } });

const t = (key) => i18next.t(key);
document.documentElement.lang = language;
document.documentElement.dir = i18next.dir(language);
document.title = t('title');
const link = (attributes) => document.head.append(Object.assign(document.createElement('link'), attributes));
link({ rel: 'canonical', href: `https://palmhouse.example/i18n/${language}/` });
for (const code of ['en', 'de', 'ar', 'ja']) link({ rel: 'alternate', hreflang: code, href: `https://palmhouse.example/i18n/${code}/` });
link({ rel: 'alternate', hreflang: 'x-default', href: 'https://palmhouse.example/i18n/en/' });
const meta = (name, content) => document.head.append(Object.assign(document.createElement('meta'), { name, content }));
meta('description', t('lead'));

const root = document.getElementById('root');
root.innerHTML = `<nav>${['en', 'de', 'ar', 'ja'].map((code) => `<a href="/i18n/${code}/" hreflang="${code}" lang="${code}">${code}</a>`).join(' ')}</nav>
  <h1>${t('title')}</h1><p>${t('lead')}</p><p>${t('hours')}</p><p>${t('ticket')}</p><h2 style="margin-inline-start: 2rem">${t('map')}</h2>
  <p>${new Intl.NumberFormat(language).format(12345.6)}</p>`;
