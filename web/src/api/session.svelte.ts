// The session of this browser: who is signed in, signing in and out, and the other tabs, which follow.
// Must never keep anything of an account after its session ended.
import { forgetDrafts, keepDrafts } from '../lib/form.svelte';
import { forgetAccount } from '../lib/storage';
import { del, get, keepToken, onSignedOut, post, put, type Schemas } from './client';
import { queryClient } from './queries';

/** Message between tabs. */
type News = { kind: 'signed_out' } | { kind: 'signed_in'; email: string };

type Info = Pick<Schemas['SessionInfo'], 'email' | 'plan'>;

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

  async signIn(email: string, password: string): Promise<void> {
    await post('/api/session', { body: { email, password } });
    begin(await get('/api/session'));
    tell({ kind: 'signed_in', email: session.email });
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

function begin({ email, plan, csrfToken }: Schemas['SessionInfo']): void {
  // Unsaved changes of somebody else are not for this account.
  if (lastEmail !== '' && lastEmail !== email) forgetDrafts();
  lastEmail = email;
  keepToken(csrfToken);
  info = { email, plan };
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
  // The cookie is now another account's: nothing of this page is.
  else if (status === 'in' && data.email !== session.email) location.reload();
  else if (status !== 'in') void session.find();
});
