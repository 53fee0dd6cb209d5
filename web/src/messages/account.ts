// Words of the account: profile, API keys, usage.
import { count } from '../lib/numbers';

export { limitName, limits } from './limits';

export const section = () => 'Account';
export const profile = () => 'Profile';
export const security = () => 'Security';
export const people = () => 'People';
export const keys = () => 'API keys';
export const webhooks = () => 'Webhooks';
export const usage = () => 'Usage';

export const profileLede = (email: string, plan: string) => `Signed in as ${email}, on the ${plan} plan.`;
export const profileRole = (role: string, account: string) => `${role} of the account ${account}.`;
export const changePassword = () => 'Change password';
export const changePasswordText = () => 'Every other session of yours ends; you stay signed in here.';
export const currentPassword = () => 'Current password';
export const newPassword = () => 'New password';
export const newPasswordHint = () => '12 to 256 characters. A sentence is easier to remember and harder to guess.';
export const wrongPassword = () => 'This is not the current password.';
export const enterPassword = () => 'Enter the current password.';
export const passwordTooShort = (length: number) => `Use at least 12 characters; this has ${count(length)}.`;
export const passwordTooLong = () => 'Use at most 256 characters.';
export const passwordChanged = () => 'Password changed. All other sessions ended.';
export const passwordWait = (left: string) => `Too many attempts. Try again in ${left}.`;
export const weeklyMail = () => 'Weekly mail';
export const weeklyMailSwitch = () => 'Send me a mail about my domains every Monday';
export const weeklyMailText = (email: string) =>
  `To ${email}, about the domains that you may see in all of your accounts: visits of crawlers, what needs care, health, AI visibility.`;
export const weeklyMailNoServer = () =>
  'No mail server is set on this installation (mail.smtp_url), so that no mail can be sent.';
export const singleKeys = () => 'Single-key shortcuts';
export const singleKeysText = () =>
  'Keys such as g o and t work without Ctrl. They do nothing while you type in a field.';
export const singleKeysSwitch = () => 'Use single-key shortcuts';
export const keyboard = () => 'Keyboard';
export const appearance = () => 'Appearance';
export const theme = () => 'Theme';

export const keysLede = () =>
  'Keys call the API from your servers and tools. Each is shown once, when it is created, and works until it expires or is revoked.';
export const keysWhat = () => 'keys';
export const createKey = () => 'Create key';
export const creatingKey = () => 'Creating';
export const name = () => 'Name';
export const nameHint = () => 'Where the key is used, such as “Build server”.';
export const nameTooLong = () => 'Use at most 100 characters.';
export const scope = () => 'Scope';
export const scopeHint = () => 'A key for one domain cannot add domains, make keys or read usage.';
export const wholeAccount = () => 'Whole account';
export const scopesMissing = () => 'Your domains did not load, so only a key for the whole account can be created now.';
export const keyCreated = () => 'Key created';
export const keyCreatedText = () => 'Copy it now; it is not shown again.';
export const apiKey = () => 'API key';
export const maskedKey = (last4: string) => `gh_live_…${last4}`;
export const unnamed = (last4: string) => `Key ending in ${last4}`;
export const key = () => 'Key';
export const created = () => 'Created';
export const lastUsed = () => 'Last used';
export const access = () => 'Access';
export const accesses = { write: () => 'Reads and writes', read: () => 'Only reads' };
export const accessHint = () => 'A key that only reads changes nothing. It renders as an integration does.';
export const expires = () => 'Expires';
export const expiresAfter: Record<string, () => string> = {
  '0': () => 'Never',
  '30': () => 'After 30 days',
  '90': () => 'After 90 days',
  '365': () => 'After a year',
};
export const expired = () => 'Expired';
export const readsOnly = () => 'only reads';
export const createdBy = () => 'By';
export const status = () => 'Status';
export const never = () => 'never';
export const working = () => 'Works';
export const revoked = (when: string) => `Revoked ${when}`;
export const actions = () => 'Actions';
export const revoke = () => 'Revoke';
export const revokeNamed = (keyName: string) => `Revoke ${keyName}`;
export const revokeTitle = (keyName: string) => `Revoke ${keyName}?`;
export const revokeText = () => 'Anything that uses it is refused within two seconds. This cannot be undone.';
export const revokeKey = () => 'Revoke key';
export const keepKey = () => 'Keep key';
export const keyRevoked = (keyName: string) => `${keyName} is revoked.`;
export const noKeysTitle = () => 'No API key yet';
export const noKeysText = () => 'The dashboard works without one. Create a key for your servers and tools.';

export const usageLede = (month: string, resets: string) =>
  `Use of your plan in ${month}. Monthly counts start again on ${resets}.`;
export const planIs = (plan: string) => `Plan ${plan}`;
export const limit = () => 'Limit';
export const used = () => 'Used';
export const allowed = () => 'Allowed';
export const share = () => 'Share';
export const noLimit = () => 'no limit';
export const perThing = () => 'per item';
export const notShown = () => 'not shown';
export const nearLimit = (name: string, percent: string) => `${name}: ${percent} used.`;
export const atLimit = (name: string) => `${name}: limit reached.`;
export const barLabel = (usedText: string, limitText: string) => `${usedText} of ${limitText}`;
