// The session of this browser: who is signed in, signing in and out, and the other tabs, which follow.
// Must never keep anything of an account after its session ended.
import { forgetDrafts, keepDrafts } from '../lib/form.svelte';
import { forgetAccount } from '../lib/storage';
import { del, get, keepToken, onSignedOut, patch, post, put, type Schemas } from './client';
import { queryClient } from './queries';

/** Message between tabs. */
type News = { kind: 'signed_out' } | { kind: 'signed_in'; email: string } | { kind: 'moved' };

type Info = Omit<Schemas['SessionInfo'], 'csrfToken'>;

/** Roles, the least first. */
const ROLES: readonly Schemas['PersonRole'][] = ['viewer', 'editor', 'owner'];

/** `unknown` until the service was asked; `out`: nobody is signed in; `expired`: the session ended by itself; `left`: signed out. */
type Status = 'unknown' | 'in' | 'out' | 'expired' | 'left';

let status = $state<Status>('unknown');
let info = $state.raw<Info | null>(null);
let failure = $state.raw<unknown>(null);
let lastEmail = '';

const tabs = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('glasshouse.session');

export const session = {
  get status(): Status {
    return status;
  },
  get email(): string {
    return info?.email ?? '';
  },
  get plan(): Schemas['Plan'] | null {
    return info?.plan ?? null;
  },
  /** Accounts that the person is in. */
  get accounts(): Info['accounts'] {
    return info?.accounts ?? [];
  },
  /** Account that the session is in; null while nobody is signed in. */
  get account(): Info['account'] | null {
    return info?.account ?? null;
  },
  get hasSecondFactor(): boolean {
    return info?.secondFactor ?? false;
  },
  /** True when the person gets the weekly mail; null: no mail server is set. */
  get weeklyMail(): boolean | null {
    return info?.weeklyMail ?? null;
  },
  /** Only domains that the person sees; null: all. */
  get domains(): string[] | null {
    return info?.domains ?? null;
  },
  /** Decides whether the person has a role, or a higher one. */
  may(role: Schemas['PersonRole']): boolean {
    return info !== null && ROLES.indexOf(info.role) >= ROLES.indexOf(role);
  },
  /** True for an editor who sees all domains. */
  get mayAddDomains(): boolean {
    return this.may('editor') && this.domains === null;
  },
  /** Role in the account; null while nobody is signed in. */
  get role(): Schemas['PersonRole'] | null {
    return info?.role ?? null;
  },
  /** Error of the first question; the service may be away. */
  get failure(): unknown {
    return failure;
  },

  /** Asks who is signed in. */
  async find(): Promise<void> {
    failure = null;
    try {
      begin(await get('/api/session'));
    } catch (error) {
      // 401 was told to `end`.
      if (status === 'unknown') failure = error;
    }
  },

  /** Signs in. `code`: of the second factor, where the person has one. */
  async signIn(email: string, password: string, code: string | null = null): Promise<void> {
    await post('/api/session', { body: { email, password, code } });
    await this.enterNew();
  },

  /** Takes over a session that has just begun, here and in every other tab. */
  async enterNew(): Promise<void> {
    begin(await get('/api/session'));
    tell({ kind: 'signed_in', email: session.email });
  },

  /** Accepts an invitation; with a password for somebody who is no person yet. */
  async accept(token: string, password: string | null): Promise<void> {
    await post('/api/session/invitation', { body: { token, password } });
    queryClient.clear();
    await this.enterNew();
  },

  /** Moves this session to another account of the person. Nothing of the one before stays. */
  async enter(id: string): Promise<void> {
    await put('/api/session/account', { body: { id } });
    forgetAccount();
    forgetDrafts();
    queryClient.clear();
    begin(await get('/api/session'));
    tell({ kind: 'moved' });
  },

  /** Reads again what the session says of the person. */
  async refresh(): Promise<void> {
    begin(await get('/api/session'));
  },

  /** Switches the weekly mail of the person on or off. */
  async switchWeeklyMail(weeklyMail: boolean): Promise<void> {
    await patch('/api/session', { body: { weeklyMail } });
    if (info !== null) info = { ...info, weeklyMail };
  },

  /** Signs out here and in every other tab. Without an answer the session goes on, and the error is thrown. */
  async signOut(): Promise<void> {
    await del('/api/session').catch((error: unknown) => {
      if (status === 'in') throw error;
    });
    end('left');
    tell({ kind: 'signed_out' });
  },

  /** Changes the password. The new session that comes with it has a new token. */
  async changePassword(currentPassword: string, newPassword: string): Promise<void> {
    await put('/api/dashboard/password', { body: { currentPassword, newPassword } });
    begin(await get('/api/session'));
  },
};

function begin({ csrfToken, ...rest }: Schemas['SessionInfo']): void {
  // Unsaved changes of somebody else are not for this person.
  if (lastEmail !== '' && lastEmail !== rest.email) forgetDrafts();
  lastEmail = rest.email;
  keepToken(csrfToken);
  info = rest;
  status = 'in';
}

function end(as: 'out' | 'expired' | 'left'): void {
  if (as === 'expired') keepDrafts();
  status = as;
  info = null;
  keepToken(null);
  queryClient.clear();
  if (as !== 'left') return;
  forgetAccount();
  forgetDrafts();
}

function tell(news: News): void {
  tabs?.postMessage(news);
}

onSignedOut(() => {
  if (status === 'in') end('expired');
  else if (status === 'unknown') end('out');
});

tabs?.addEventListener('message', ({ data }: MessageEvent<News>) => {
  if (data.kind === 'signed_out') end('left');
  // The session is in another account now: nothing of this page is.
  else if (data.kind === 'moved') location.assign('/');
  // The cookie is now another person's: nothing of this page is.
  else if (status === 'in' && data.email !== session.email) location.reload();
  else if (status !== 'in') void session.find();
});
