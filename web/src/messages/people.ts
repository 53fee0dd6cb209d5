// Words of the people of an account and of how each signs in.
import { counted } from '../lib/numbers';

export const lede = () => 'Who signs in to this account, and what each may do.';
export const what = () => 'people';
export const invite = () => 'Invite';
export const inviteTitle = () => 'Invite a person';
export const inviting = () => 'Inviting';
export const email = () => 'E-mail';
export const noEmail = () => 'Enter an e-mail address, such as ada@example.com.';
export const role = () => 'Role';
export const roles = { owner: () => 'Owner', editor: () => 'Editor', viewer: () => 'Viewer' };
export const roleHints = {
  owner: () => 'Everything, people and API keys among it.',
  editor: () => 'Everything but people and API keys.',
  viewer: () => 'Sees everything but people, API keys and costs; changes nothing.',
};
export const domains = () => 'Domains';
export const allDomains = () => 'All domains';
export const someDomains = () => 'Only some';
export const domainCount = (number: number) => counted(number, 'domain', 'domains');
export const ownerDomains = () => 'An owner sees all domains.';
export const chooseDomain = () => 'Choose at least one domain.';
export const domainsMissing = () => 'Your domains did not load, so only all of them can be chosen now.';
export const state = () => 'Status';
export const invited = () => 'Invited';
export const active = () => 'Active';
export const secondFactor = () => 'Second factor';
export const on = () => 'On';
export const off = () => 'Off';
export const lastSeen = () => 'Last seen';
export const never = () => 'never';
export const actions = () => 'Actions';
export const save = () => 'Save';
export const changeNamed = (name: string) => `Change ${name}`;
export const newLinkNamed = (name: string) => `New link for ${name}`;
export const remove = () => 'Remove';
export const removeNamed = (name: string) => `Remove ${name}`;
export const you = () => 'you';
export const noneTitle = () => 'Nobody else yet';
export const noneText = () => 'Invite those who work on these sites with you.';
export const exists = () => 'This address belongs to somebody of the account already.';
export const lastOwner = () => 'This is the only owner: make somebody else an owner first.';
export const mailed = (name: string) => `The invitation is on its way to ${name}.`;
export const linkTitle = () => 'Invitation link';
export const linkText = (name: string) =>
  `Hand this link to ${name}. It works once and for seven days, and is not shown again.`;
export const linkNotMailed = () => 'It was not mailed.';
export const changed = (name: string) => `${name} is changed.`;
export const removeTitle = (name: string) => `Remove ${name}?`;
export const removeText = () =>
  'The person is signed out of this account at once. API keys that the person made go on working.';
export const takeBackText = () => 'The link of the invitation stops working.';
export const keep = () => 'Keep';
export const removed = (name: string, keys: number) =>
  keys === 0
    ? `${name} is removed.`
    : `${name} is removed. Keys that this person made and that go on working: ${keys}.`;

export const securityLede = () => 'How you sign in.';
export const factorText = () =>
  'With a second factor, signing in needs a code of your authenticator beside the password.';
export const factorOn = () => 'Your second factor is on.';
export const factorOff = () => 'Your second factor is off.';
export const turnOn = () => 'Turn on';
export const turnOff = () => 'Turn off';
export const turnOnTitle = () => 'Turn the second factor on';
export const turnOffTitle = () => 'Turn the second factor off';
export const turnOffText = () => 'Signing in then needs the password alone. The recovery codes stop working.';
export const password = () => 'Password';
export const enterPassword = () => 'Enter your password.';
export const wrongPassword = () => 'This is not your password.';
export const next = () => 'Next';
export const scan = () =>
  'Scan this with an authenticator, or type the secret into it. Then enter the code that it shows.';
export const qrCode = () => 'QR code';
export const secret = () => 'Secret';
export const code = () => 'Code';
export const codeOrRecovery = () => 'Six digits, or a recovery code.';
export const enterCode = () => 'Enter the code.';
export const wrongCode = () => 'This code is wrong or was used. Wait for the next one.';
export const confirm = () => 'Confirm';
export const recoveryTitle = () => 'Recovery codes';
export const recoveryText = () =>
  'Each signs you in once when you have lost your authenticator. Keep them where you find them without it; they are not shown again.';
export const copyCodes = () => 'Copy codes';
export const kept = () => 'I have kept them';
export const isOn = () => 'The second factor is on.';
export const isOff = () => 'The second factor is off.';
export const wait = (left: string) => `Too many attempts. Try again in ${left}.`;
