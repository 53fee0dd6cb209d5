// Meaning of a refusal to add a domain: a sentence at a field, or a state above the form. Pure.
import { refusalOf } from '../../api/refusals';
import { codeOf } from '../../api/refusals';
import type { Refusal } from '../../lib/refusal';
import * as m from '../../messages/domains';

/** Errors of the form, and what does not belong to a field. */
export interface AddTrouble {
  domain?: string;
  originHost?: string;
  /** The domain is on this account, so that it can be opened. */
  isOwn?: boolean;
  refusal?: Refusal;
}

/** Decides where a refusal is said. `isOwn`: the account has the domain already. */
export function troubleOf(error: unknown, name: string, isOwn: boolean): AddTrouble {
  const refusal = refusalOf(error);
  switch (codeOf(error)) {
    case 'invalid_domain':
      return { domain: m.invalidDomain() };
    case 'domain_already_connected':
      return isOwn ? { domain: m.alreadyOwn(name), isOwn } : { domain: m.alreadyElsewhere() };
    case 'domain_suspended':
      return { domain: m.suspended() };
    case 'invalid_origin_host':
      return { originHost: m.invalidOrigin() };
    case 'origin_host_same_as_domain':
      return { originHost: m.originIsDomain() };
    case 'origin_host_is_editor_url':
      return { originHost: m.originIsEditor() };
  }
  if (refusal.kind === 'invalid') {
    const at = (path: string) => refusal.issues.find((issue) => issue.path === path)?.message;
    const [domain, originHost] = [at('domain'), at('originHost')];
    if (domain !== undefined || originHost !== undefined) {
      return { ...(domain !== undefined && { domain }), ...(originHost !== undefined && { originHost }) };
    }
  }
  return { refusal };
}

/** Returns the name as it is sent: without the scheme and the path that people paste along. */
export function cleanName(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/[/?#].*$/, '')
    .replace(/\.$/, '');
}
