// Reads of the screens of AI mentions, each with the lifetime that fits.
import { read } from '../../api/queries';
import { here } from '../../routes';

/** Pause between two questions about what is under way, in milliseconds. */
export const FOLLOW_MS = 3000;

export const readPrompts = () =>
  read('/api/ai-mentions/prompts', { params: { query: { domain: here.param('domain') } } });
export const readProviders = () =>
  read('/api/ai-mentions/providers', { params: { query: { domain: here.param('domain') } } });
export const readBrand = () =>
  read('/api/domains/{domain}/brand', { params: { path: { domain: here.param('domain') } } }, 'settings');
export const readReports = (limit: number) =>
  read('/api/ai-mentions/reports', { params: { query: { domain: here.param('domain'), limit } } });
