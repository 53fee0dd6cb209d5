// Words of webhooks: whom events are told, and how that went.
import { counted } from '../lib/numbers';

export const section = () => 'Webhooks';
export const lede = () => 'Tell your servers, a chat or a person what happens to your sites.';
export const what = () => 'webhooks';
export const create = () => 'Create webhook';
export const creating = () => 'Creating';
export const noneTitle = () => 'No webhook yet';
export const noneText = () => 'Create one to hear of finished audits, failing renders, limits and more.';
export const address = () => 'Address';
export const addressHint = () => 'Where messages go, such as https://hooks.example/glasshouse.';
export const mailHint = () => 'The e-mail address of a person of this account.';
export const noAddress = () => 'Enter an address that begins with https:// or http://.';
export const noMail = () => 'Enter an e-mail address.';
export const notConfirmed = () =>
  'Mail goes to people of this account only, and needs a mail server that the operator has set.';
export const format = () => 'Format';
export const formats: Record<string, () => string> = {
  standard: () => 'JSON, signed',
  slack: () => 'Slack',
  discord: () => 'Discord',
  teams: () => 'Microsoft Teams',
  ntfy: () => 'ntfy',
  email: () => 'E-mail',
};
export const formatHint = (isForPeople: boolean) =>
  isForPeople
    ? 'At most one message an hour and domain; the first comes at once.'
    : 'Each event by itself, for programs.';
export const events = () => 'Events';
export const eventCount = (count: number) => counted(count, 'event', 'events');
export const chooseEvent = () => 'Choose at least one event.';
export const eventNames: Record<string, () => string> = {
  'domain.connected': () => 'A domain is connected',
  'domain.suspended': () => 'A domain is suspended',
  'render.failing': () => 'Renders fail',
  'render.recovered': () => 'Renders succeed again',
  'batch.finished': () => 'A refresh is over',
  'audit.completed': () => 'An audit is over',
  'audit.new_errors': () => 'An audit found new errors',
  'report.ready': () => 'A report of AI mentions is ready',
  'visibility.changed': () => 'Visibility changed',
  'certificate.expiring': () => 'A certificate is about to expire',
  'limit.near': () => 'A limit is near',
  'limit.reached': () => 'A limit is reached',
  'verify.failing': () => 'Verification finds something wrong',
  'verify.recovered': () => 'Verification finds nothing wrong any more',
  'crawler.new': () => 'A crawler came for the first time',
  'crawler.gone': () => 'A frequent crawler is silent',
  'crawler.errors': () => 'Crawlers get many errors',
  'crawler.impostors': () => 'Many impostors came',
  'webhook.test': () => 'Test',
};
export const eventName = (id: string) => eventNames[id]?.() ?? id;
export const domains = () => 'Domains';
export const allDomains = () => 'All, and the account';
export const someDomains = () => 'Only some';
export const chooseDomain = () => 'Choose at least one domain.';
export const domainsMissing = () => 'Your domains did not load, so only a webhook for all can be created now.';
export const state = () => 'State';
export const on = () => 'On';
export const off = () => 'Off';
export const created = () => 'Created';
export const actions = () => 'Actions';
export const made = () => 'Webhook created';
export const madeText = () => 'Copy its secret now; it is not shown again. Verify each message with it.';
export const secret = () => 'Secret';
export const test = () => 'Send test';
export const testNamed = (name: string) => `Send a test to ${name}`;
export const testSent = (name: string) => `A test is on its way to ${name}.`;
export const wait = () => 'Too many tests. Try again in a minute.';
export const turnOnNamed = (name: string) => `Turn ${name} on`;
export const turnOffNamed = (name: string) => `Turn ${name} off`;
export const turnedOn = (name: string) => `${name} is on.`;
export const turnedOff = (name: string) => `${name} is off.`;
export const removeNamed = (name: string) => `Delete ${name}`;
export const removeTitle = (name: string) => `Delete the webhook of ${name}?`;
export const removeText = () => 'Its deliveries are deleted too. This cannot be undone.';
export const remove = () => 'Delete webhook';
export const keep = () => 'Keep webhook';
export const removed = (name: string) => `The webhook of ${name} is deleted.`;

export const deliveriesNamed = (name: string) => `Deliveries to ${name}`;
export const deliveries = () => 'Deliveries';
export const deliveriesLede = () => 'Messages of the last 30 days, newest first.';
export const deliveriesWhat = () => 'deliveries';
export const noDeliveriesTitle = () => 'Nothing was sent yet';
export const noDeliveriesText = () => 'Messages appear here once something happens. A test is sent at once.';
export const back = () => 'All webhooks';
export const event = () => 'Event';
export const domain = () => 'Domain';
export const account = () => 'Account';
export const when = () => 'When';
export const attempts = () => 'Attempts';
export const answer = () => 'Last answer';
export const noAnswer = () => 'none';
export const states = { waiting: () => 'Waiting', delivered: () => 'Delivered', failed: () => 'Failed' };
export const redeliver = () => 'Send again';
export const redeliverNamed = (name: string) => `Send ${name} again`;
export const redelivered = () => 'The message is on its way again.';
