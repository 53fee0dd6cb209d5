// Accounts, domains and keys for journeys, made by the command line as an operator makes them.
import { randomBytes } from 'node:crypto';
import { createAccount as create } from '../../lib/service.mjs';
import { runCommand, type ServiceInfo } from './service.ts';

export type Plan = 'essential' | 'agency' | 'business' | 'enterprise';

export interface Account {
  email: string;
  password: string;
}

/** The service that start.ts started. */
export function runningService(): ServiceInfo {
  const info = process.env.DASHBOARD_SERVICE;
  if (info === undefined) throw new Error('the service of the journeys does not run');
  return JSON.parse(info) as ServiceInfo;
}

/** Makes an account with domains that are connected. Who gives no address and password gets new ones. */
export async function createAccount({
  plan = 'agency' as Plan,
  domains = [] as string[],
  account = { email: `${randomBytes(6).toString('hex')}@example.test`, password: randomBytes(12).toString('hex') },
} = {}): Promise<Account> {
  await create(runningService(), { ...account, plan, domains });
  return account;
}

/** Adds many domains, connected, one after the other: SQLite has one writer. */
export async function addDomains(account: Account, domains: readonly string[]): Promise<void> {
  for (const domain of domains) {
    await runCommand(runningService(), 'domain', 'add', domain, '--account', account.email, '--status', 'connected');
  }
}

/** Sets a password as the operator: every session of the account ends. */
export async function setPassword(account: Account, password: string): Promise<void> {
  await runCommand(runningService(), 'account', 'set-password', '--email', account.email, '--password', password);
}

/** Returns a name of a domain that nobody else has. */
export function newDomain(name: string): string {
  return `${name}-${randomBytes(4).toString('hex')}.test`;
}

/** Closes or opens the subscription of an account, as the operator. */
export async function setActive(account: Account, isActive: boolean): Promise<void> {
  await runCommand(runningService(), 'account', isActive ? 'activate' : 'deactivate', '--email', account.email);
}
